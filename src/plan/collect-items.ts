import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";
import { type DatasetItems, isDataset } from "./dataset-items.ts";
import type { ItemList, Segment } from "./item-list.ts";
import { type IndexRange, isIndexRange } from "./range.ts";

/** What `run` takes: a dataset for all of its rows, a range, an array, or any sync or async iterable of indices. */
export type Items = DatasetItems | IndexRange | Iterable<number> | AsyncIterable<number>;

// A list with more segments than this is irregular: a flat array is smaller, and the manifest stays below 100 kB.
const maxSegments = 2000;

/** Reads the user's indices, checks each one, and stores them in the smallest form. */
export async function collectItems(items: Items | ItemList): Promise<ItemList> {
  if (isItemList(items)) return items;
  if (isDataset(items)) return { ...fromRange({ start: 0, step: 1, length: items.length }), dataset: items.digest };
  if (isIndexRange(items)) return fromRange(items);
  const collector = new Collector();
  if (isIterable(items)) for (const index of items) collector.add(index);
  else if (isAsyncIterable(items)) for await (const index of items) collector.add(index);
  else {
    throw new MillraceError("BAD_ITEMS", `run got ${describeKind(items)}; it takes the indices of the items to run.`, {
      hint:
        typeof items === "number"
          ? `Did you mean run(range(${items}))?`
          : "Pass a dataset, range(n) or an array of indices.",
    });
  }
  return collector.finish();
}

function fromRange({ start, step, length }: Omit<IndexRange, typeof Symbol.iterator>): ItemList {
  if (length === 0) return { kind: "segments", count: 0, segments: [] };
  checkIndex(start, 0);
  checkIndex(start + (length - 1) * step, length - 1);
  return { kind: "segments", count: length, segments: [[start, length === 1 ? 1 : step, length]] };
}

// The form that a manifest stores. An iterable that the user passes has no `segments` or `indices`.
function isItemList(items: Items | ItemList): items is ItemList {
  return typeof items === "object" && items !== null && "kind" in items && "count" in items;
}

function isIterable(items: unknown): items is Iterable<number> {
  return typeof items === "object" && items !== null && Symbol.iterator in items;
}

function isAsyncIterable(items: unknown): items is AsyncIterable<number> {
  return typeof items === "object" && items !== null && Symbol.asyncIterator in items;
}

function checkIndex(index: unknown, position: number): asserts index is number {
  if (Number.isSafeInteger(index) && (index as number) >= 0) return;
  throw new MillraceError("BAD_ITEMS", `Item ${position} of the list is ${describeKind(index)}.`, {
    hint: "Items are indices into the dataset: whole numbers from 0. Keep ids and paths in the dataset itself.",
  });
}

/** Adds to segments while the indices are evenly spaced, and switches to a flat array when they are not. */
class Collector {
  private readonly segments: [number, number, number][] = [];
  private flat: Uint32Array | Float64Array | undefined;
  private count = 0;

  add(index: unknown): void {
    checkIndex(index, this.count);
    if (this.flat !== undefined) this.push(this.flat, index);
    else if (!this.extendLast(index)) this.segments.push([index, 1, 1]);
    this.count++;
    if (this.flat === undefined && this.segments.length > maxSegments) this.flatten();
  }

  finish(): ItemList {
    const { count } = this;
    if (this.flat !== undefined) return { kind: "list", count, indices: this.flat.slice(0, count) };
    return { kind: "segments", count, segments: this.segments as readonly Segment[] };
  }

  private extendLast(index: number): boolean {
    const last = this.segments.at(-1);
    if (last === undefined) return false;
    const [start, step, count] = last;
    if (count === 1) last[1] = index - start;
    else if (index !== start + step * count) return false;
    last[2]++;
    return true;
  }

  private flatten(): void {
    this.flat = new Uint32Array(Math.max(1 << 16, this.count * 2));
    let position = 0;
    for (const [start, step, count] of this.segments) {
      for (let i = 0; i < count; i++) this.flat = put(this.flat, position++, start + i * step);
    }
    this.segments.length = 0;
  }

  private push(flat: Uint32Array | Float64Array, index: number): void {
    this.flat = put(flat, this.count, index);
  }
}

function put(flat: Uint32Array | Float64Array, position: number, index: number): Uint32Array | Float64Array {
  let room = flat;
  if (position >= room.length) {
    room = new (flat instanceof Uint32Array ? Uint32Array : Float64Array)(position * 2);
    room.set(flat);
  }
  if (index > 0xffff_ffff && room instanceof Uint32Array) room = Float64Array.from(room);
  room[position] = index;
  return room;
}
