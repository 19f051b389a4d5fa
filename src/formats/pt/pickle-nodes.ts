import type { DType } from "../nd-array.ts";

/** What stands on the unpickler's stack beside plain values: arrays are Python lists, Maps dicts. */
export type PickleNode =
  | string
  | number
  | bigint
  | boolean
  | null
  | PickleNode[]
  | Map<PickleNode, PickleNode>
  | Tuple
  | Global
  | StorageNode
  | TensorNode;

export class Tuple {
  readonly items: readonly PickleNode[];

  constructor(items: readonly PickleNode[]) {
    this.items = items;
  }
}

/** The name of a class or function. Nothing is ever looked up or called by it. */
export class Global {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Numbers that stand elsewhere in the file. `undefined` as type: plain bytes, whose type the tensor says. */
export class StorageNode {
  readonly key: string;
  readonly dtype: DType | undefined;
  /** How many elements (or bytes) the file says there are; checked when they are read. */
  readonly count: number;

  constructor(key: string, dtype: DType | undefined, count: number) {
    this.key = key;
    this.dtype = dtype;
    this.count = count;
  }
}

export class TensorNode {
  readonly storage: StorageNode;
  readonly dtype: DType;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];

  constructor(storage: StorageNode, dtype: DType, view: Pick<TensorNode, "offset" | "shape" | "strides">) {
    this.storage = storage;
    this.dtype = dtype;
    this.offset = view.offset;
    this.shape = view.shape;
    this.strides = view.strides;
  }
}

/** What errors call a node. */
export function nameOfNode(node: PickleNode | undefined): string {
  if (node === undefined) return "nothing";
  if (node === null) return "None";
  if (node instanceof Global) return node.name;
  if (Array.isArray(node)) return "a list";
  if (node instanceof Map) return "a dict";
  if (node instanceof Tuple) return `a tuple of ${node.items.length}`;
  if (node instanceof StorageNode) return "a storage";
  return node instanceof TensorNode ? "a tensor" : JSON.stringify(String(node).slice(0, 40));
}
