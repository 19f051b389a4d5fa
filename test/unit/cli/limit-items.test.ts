import { describe, expect, it } from "vitest";
import { limitItems } from "../../../src/cli/limit-items.ts";
import { collectItems, type Items } from "../../../src/plan/collect-items.ts";
import { readItems } from "../../../src/plan/item-list.ts";
import { range } from "../../../src/plan/range.ts";

async function* later(): AsyncGenerator<number> {
  yield* [5, 9, 2];
}

async function first(items: Items, limit: number | undefined): Promise<number[]> {
  const list = await collectItems(limitItems(items, limit));
  return readItems(list, 0, list.count);
}

describe("limitItems", () => {
  it.each<[string, () => Items]>([
    ["a range", () => range(5, 30, 4)],
    ["a falling range", () => range(30, 5, -4)],
    ["a list", () => [7, 3, 8]],
    ["what comes later", later],
  ])("takes the first of %s, and no more than there are", async (_what, items) => {
    const all = await first(items(), undefined);
    for (const limit of [1, 2, 3, 100]) expect(await first(items(), limit)).toEqual(all.slice(0, limit));
  });

  it("keeps a long range a range", () => {
    expect(limitItems(range(1e12), 1e9)).toMatchObject({ start: 0, step: 1, length: 1e9 });
  });
});
