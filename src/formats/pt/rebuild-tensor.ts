import type { OutputMeter } from "../../input/output-limit.ts";
import { countElements, type DType, layouts } from "../nd-array.ts";
import { costs, Global, nameOfNode, type PickleNode, StorageNode, TensorNode, Tuple } from "./pickle-nodes.ts";
import { storageDtypes, torchDtypes, untypedStorage } from "./torch-dtypes.ts";

type Fail = (problem: string) => Error;

/** What a call may do: refuse the pickle, and create things that are counted. */
interface CallContext {
  readonly fail: Fail;
  readonly meter: OutputMeter;
}

type Call = (args: readonly PickleNode[], context: CallContext) => PickleNode;

const maxDimensions = 64;

// Everything that a pickle may call, implemented here: no name is resolved to other code.
const calls: ReadonlyMap<string, Call> = new Map<string, Call>([
  ["collections.OrderedDict", makeOrderedDict],
  ["torch.Size", ([sizes], { fail }) => (sizes instanceof Tuple ? sizes : refuse("torch.Size", sizes, fail))],
  [
    "torch._utils._rebuild_tensor_v2",
    ([storage, offset, shape, strides], { fail }) => rebuild(storage, { offset, shape, strides }, fail),
  ],
  [
    "torch._utils._rebuild_tensor_v3",
    ([storage, offset, shape, strides, , , dtype], { fail }) =>
      rebuild(storage, { offset, shape, strides, dtype }, fail),
  ],
  [
    "torch._utils._rebuild_parameter",
    ([tensor], { fail }) => (tensor instanceof TensorNode ? tensor : refuse("a parameter", tensor, fail)),
  ],
]);

/** True if a pickle may name this: tensors, their storages and types, and OrderedDict. */
export function isKnownGlobal(name: string): boolean {
  return calls.has(name) || storageDtypes.has(name) || torchDtypes.has(name) || isUntyped(name);
}

/** Executes a call of the pickle. */
export function callGlobal(target: PickleNode, args: PickleNode, context: CallContext): PickleNode {
  const call = target instanceof Global ? calls.get(target.name) : undefined;
  if (call === undefined || !(args instanceof Tuple)) throw context.fail(`the pickle calls ${nameOfNode(target)}`);
  return call(args.items, context);
}

/** The storage of a persistent id: ("storage", class, key, location, count[, view]). */
export function storageOf(id: PickleNode, fail: Fail): StorageNode {
  const [kind, storageClass, key, location, count, view = null] = id instanceof Tuple ? id.items : [];
  const className = storageClass instanceof Global ? storageClass.name : "";
  const dtype = storageDtypes.get(className);
  const isSound = kind === "storage" && typeof key === "string" && typeof location === "string" && isCount(count);
  if (!isSound || (dtype === undefined && !isUntyped(className)))
    throw fail("a storage of a tensor is not described soundly");
  if (view !== null) throw fail("a storage is a view of another one, as only PyTorch before 0.4 wrote them");
  return new StorageNode(key, dtype, count);
}

function isUntyped(name: string): boolean {
  return name === untypedStorage || name === "torch.UntypedStorage";
}

function isCount(value: PickleNode | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function makeOrderedDict(args: readonly PickleNode[], { fail, meter }: CallContext): PickleNode {
  const dict = new Map<PickleNode, PickleNode>();
  // Python 2 passes the pairs as a list. One list can be passed any number of times, and is copied each time.
  const pairs = Array.isArray(args[0]) ? args[0] : [];
  meter.spend(2 * costs.pair * pairs.length);
  for (const pair of pairs) {
    const [key, value] = pair instanceof Tuple ? pair.items : Array.isArray(pair) ? pair : [];
    if (key === undefined || value === undefined) throw fail("an OrderedDict is made of something else than pairs");
    dict.set(key, value);
  }
  return dict;
}

interface View {
  readonly offset: PickleNode | undefined;
  readonly shape: PickleNode | undefined;
  readonly strides: PickleNode | undefined;
  readonly dtype?: PickleNode | undefined;
}

function rebuild(storage: PickleNode | undefined, view: View, fail: Fail): TensorNode {
  if (!(storage instanceof StorageNode)) return refuse("a tensor", storage, fail);
  const dtype = view.dtype instanceof Global ? torchDtypes.get(view.dtype.name) : storage.dtype;
  if (dtype === undefined) throw fail("the element type of a tensor is not said");
  const shape = sizesOf(view.shape);
  const strides = sizesOf(view.strides);
  if (shape === undefined || strides?.length !== shape.length || !isCount(view.offset)) {
    throw fail("the shape or the strides of a tensor are invalid");
  }
  const tensor = new TensorNode(storage, dtype, { offset: view.offset, shape, strides });
  requireWithinStorage(tensor, fail);
  return tensor;
}

/** Every element must be in the storage, and there must be no more of them than it has, so that nothing is expanded. */
function requireWithinStorage({ storage, dtype, offset, shape, strides }: TensorNode, fail: Fail): void {
  const available = elementsOf(storage, dtype);
  const count = countElements(shape);
  if (count === 0) return;
  const last = shape.reduce((sum, dimension, axis) => sum + (dimension - 1) * strides[axis]!, offset);
  if (!(last < available)) {
    throw fail(`a tensor (${shape.join(", ")}) reaches to element ${last} of a storage of ${available}`);
  }
  if (count > available) {
    throw fail(
      `a tensor (${shape.join(", ")}) repeats the ${available} elements of its storage; save a .contiguous() one`,
    );
  }
}

function elementsOf({ dtype, count }: StorageNode, asDtype: DType): number {
  if (dtype === asDtype) return count;
  const bytes = count * (dtype === undefined ? 1 : layouts[dtype].itemBytes);
  return Math.floor(bytes / layouts[asDtype].itemBytes);
}

function sizesOf(node: PickleNode | undefined): number[] | undefined {
  if (!(node instanceof Tuple) || node.items.length > maxDimensions || !node.items.every(isCount)) return undefined;
  return node.items as number[];
}

function refuse(what: string, node: PickleNode | undefined, fail: Fail): never {
  throw fail(`${what} is made of ${nameOfNode(node)}`);
}
