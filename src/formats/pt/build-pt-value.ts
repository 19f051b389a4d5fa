import type { OutputMeter } from "../../input/output-limit.ts";
import { arrayOfBytes } from "../array-bytes.ts";
import { copyStrided, isContiguous } from "../copy-strided.ts";
import { countElements, layouts, type NdArray } from "../nd-array.ts";
import { costs, nameOfNode, type PickleNode, TensorNode, Tuple } from "./pickle-nodes.ts";
import type { PtKey, PtValue } from "./pt-value.ts";

export interface BuildOptions {
  /** The bytes of a storage by its key. */
  readonly readStorage: (key: string) => Uint8Array;
  readonly fail: (problem: string) => Error;
  readonly meter: OutputMeter;
  /** The sizes of the file and of its pickle: the output must be in proportion to them. */
  readonly fileBytes: number;
  readonly pickleBytes: number;
}

// Deeper than any real data.
const deepest = 200;

/**
 * The value that a pickle describes, with its tensors. A pickle can share parts, so a short one can describe a huge (or
 * infinite) tree: a tree with more parts than the pickle has bytes is refused.
 */
export function buildPtValue(root: PickleNode, options: BuildOptions): PtValue {
  const { fail, meter } = options;
  const tensors = new TensorBuilder(options);
  let left = options.pickleBytes;
  // The parts of a container are counted before it is created: a list that begins with itself would be allocated at
  // each depth.
  const enter = (parts: number, depth: number): void => {
    left -= parts;
    if (left < 0 || depth > deepest) throw fail("the pickle repeats or nests its parts without measure");
  };
  const buildList = (items: readonly PickleNode[], depth: number): PtValue => {
    meter.spend(costs.container + costs.item * items.length);
    return items.map((item) => build(item, depth + 1));
  };
  const build = (node: PickleNode, depth: number): PtValue => {
    if (node === null || typeof node !== "object") return node;
    enter(partsIn(node), depth);
    if (node instanceof TensorNode) return tensors.build(node);
    if (Array.isArray(node)) return buildList(node, depth);
    if (node instanceof Tuple) return buildList(node.items, depth);
    if (node instanceof Map) {
      meter.spend(costs.container + 2 * costs.pair * node.size);
      const dict = new Map<PtKey, PtValue>();
      for (const [key, item] of node) dict.set(requireKey(key), build(item, depth + 1));
      return dict;
    }
    throw fail(`the file holds ${nameOfNode(node)}, which is neither a tensor nor a plain value`);
  };
  const requireKey = (key: PickleNode): PtKey => {
    if (key === null || typeof key !== "object") return key;
    throw fail(`a dict has ${nameOfNode(key)} as a key`);
  };
  enter(1, 0);
  return build(root, 0);
}

function partsIn(node: PickleNode): number {
  if (Array.isArray(node)) return node.length;
  if (node instanceof Tuple) return node.items.length;
  return node instanceof Map ? node.size : 0;
}

class TensorBuilder {
  private readonly options: BuildOptions;
  private readonly storages = new Map<string, Uint8Array>();
  private readonly built = new Map<TensorNode, NdArray>();
  private copiedBytes = 0;

  constructor(options: BuildOptions) {
    this.options = options;
  }

  build(node: TensorNode): NdArray {
    const known = this.built.get(node);
    if (known !== undefined) return known;
    const { dtype, shape, offset, strides } = node;
    const { itemBytes } = layouts[dtype];
    const storage = this.storageOf(node);
    const count = countElements(shape);
    let data: NdArray["data"];
    if (count === 0 || isContiguous(node)) {
      const start = count === 0 ? 0 : offset * itemBytes;
      data = arrayOfBytes(storage.subarray(start, start + count * itemBytes), dtype);
    } else {
      this.spend(count * itemBytes);
      const whole = storage.subarray(0, storage.length - (storage.length % itemBytes));
      data = copyStrided(arrayOfBytes(whole, dtype), dtype, { shape, strides, offset }, count);
    }
    const array = { dtype, shape, data } as NdArray;
    this.options.meter.spend(2 * costs.container);
    this.built.set(node, array);
    return array;
  }

  private storageOf({ storage: { key, dtype, count } }: TensorNode): Uint8Array {
    const bytes = count * (dtype === undefined ? 1 : layouts[dtype].itemBytes);
    let known = this.storages.get(key);
    if (known === undefined) {
      const read = this.options.readStorage(key);
      // Aligned once, so that no view of it has to be copied for that.
      known = read.byteOffset % 8 === 0 ? read : new Uint8Array(read);
      this.storages.set(key, known);
    }
    if (known.length < bytes) {
      throw this.options.fail(`the storage ${key} has ${known.length} bytes, but the pickle says ${bytes}`);
    }
    return known.subarray(0, bytes);
  }

  /** Views in another order are copied; many of one storage could fill the memory. */
  private spend(bytes: number): void {
    this.copiedBytes += bytes;
    if (this.copiedBytes > 2 * this.options.fileBytes) {
      throw this.options.fail("the tensors together are far larger than the file; save .contiguous() ones");
    }
  }
}
