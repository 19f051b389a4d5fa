import type { DType } from "../nd-array.ts";

/** The approximate memory of the parts of a value, in bytes: a reader counts them before it creates them. */
export const costs = {
  /** An empty list, tuple or dict, or a part of a tensor. */
  container: 200,
  /** A place in a list, or on the stack. */
  item: 16,
  /** Each half of an entry of a dict. */
  pair: 32,
  /** A string without its characters, or a number. */
  value: 32,
} as const;

/** The unpickler's stack: plain values and these nodes; arrays are Python lists, Maps are dicts. */
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

/** The name of a class or function. It is never looked up or called. */
export class Global {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Numbers elsewhere in the file. `undefined` as type: plain bytes, whose type the tensor gives. */
export class StorageNode {
  readonly key: string;
  readonly dtype: DType | undefined;
  /** The number of elements (or bytes) by the file; checked when they are read. */
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

/** The name of a node in errors. */
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
