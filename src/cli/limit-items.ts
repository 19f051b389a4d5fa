import type { Items } from "../plan/collect-items.ts";
import { isDataset } from "../plan/dataset-items.ts";
import { isIndexRange, range } from "../plan/range.ts";

/** The first `limit` items, or all items without a limit. */
export function limitItems(items: Items, limit: number | undefined): Items {
  if (limit === undefined) return items;
  if (isIndexRange(items)) {
    const { start, step, length } = items;
    return range(start, start + Math.min(limit, length) * step, step);
  }
  if (isDataset(items)) return range(Math.min(limit, items.length));
  return firstOf(items, limit);
}

async function* firstOf(items: Iterable<number> | AsyncIterable<number>, limit: number): AsyncGenerator<number> {
  let left = limit;
  for await (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
