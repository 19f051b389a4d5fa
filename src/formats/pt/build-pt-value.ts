import { arrayOfBytes } from "../array-bytes.ts";
import { copyStrided, isContiguous } from "../copy-strided.ts";
import { countElements, layouts, type NdArray } from "../nd-array.ts";
import { nameOfNode, type PickleNode, TensorNode, Tuple } from "./pickle-nodes.ts";
import type { PtKey, PtValue } from "./pt-value.ts";

export interface BuildOptions {
  /** The bytes of a storage by its key. */
  readonly readStorage: (key: string) => Uint8Array;
  readonly fail: (problem: string) => Error;
  /** How large the file is, and the pickle in it: what comes out must stand in a relation to them. */
  readonly fileBytes: number;
  readonly pickleBytes: number;
}

// Deeper than any data is nested.
const deepest = 200;

/**
 * What a pickle describes, with its tensors in it. A pickle can share parts, so a short one can stand for a huge tree (or
 * for one without end): a tree of more parts than the pickle has bytes is refused.
 */
export function buildPtValue(root: PickleNode, options: BuildOptions): PtValue {
  const { fail } = options;
  const tensors = new TensorBuilder(options);
  let left = options.pickleBytes;
  const build = (node: PickleNode, depth: number): PtValue => {
    if (--left < 0 || depth > deepest) throw fail("the pickle repeats or nests its parts without measure");
    if (node === null || typeof node !== "object") return node;
    if (node instanceof TensorNode) return tensors.build(node);
    if (Array.isArray(node)) return node.map((item) => build(item, depth + 1));
    if (node instanceof Tuple) return node.items.map((item) => build(item, depth + 1));
    if (node instanceof Map) {
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
  return build(root, 0);
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
