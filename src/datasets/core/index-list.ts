import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";
import { checkIndex } from "./check-index.ts";

/** A growing list of row indices: four bytes for each, eight where rows are beyond 2^32. */
export class IndexList {
  private indices: Uint32Array | Float64Array = new Uint32Array(1024);
  private length = 0;

  add(index: number): void {
    if (this.length === this.indices.length) this.grow(this.length * 2);
    if (index > 0xffff_ffff && this.indices instanceof Uint32Array) this.indices = Float64Array.from(this.indices);
    this.indices[this.length++] = index;
  }

  finish(): Uint32Array | Float64Array {
    return this.indices.slice(0, this.length);
  }

  private grow(length: number): void {
    const wider = this.indices instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length);
    wider.set(this.indices);
    this.indices = wider;
  }
}

/** The indices that a user selects, each checked. */
export function listIndices(
  indices: Iterable<number>,
  source: { readonly name: string; readonly length: number },
): Uint32Array | Float64Array {
  if (typeof indices !== "object" || indices === null || !(Symbol.iterator in indices)) {
    throw new MillraceError("BAD_ITEMS", `${source.name}: ${describeKind(indices)} is no list of row indices.`, {
      hint: "Pass an array of indices, or range(start, end).",
    });
  }
  const list = new IndexList();
  for (const index of indices) {
    checkIndex(index, source);
    list.add(index);
  }
  return list.finish();
}
