import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellPlace, layoutMap, shardAt, shardByKey, tileShards } from "../../../web/dashboard/layout/map-layout.ts";

const sizes = fc.record({ shards: fc.integer({ min: 1, max: 20_000 }), width: fc.integer({ min: 0, max: 3000 }) });

describe("layoutMap", () => {
  it("has every shard in one tile, and finds it at the place of its cell", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ({ shards, width }, any) => {
        const layout = layoutMap(shards, width);
        const parts = Array.from({ length: layout.tiles }, (_, tile) => tileShards(layout, tile));
        expect(parts[0]!.from).toBe(0);
        expect(parts.at(-1)!.to).toBe(shards);
        expect(parts.every(({ from }, i) => i === 0 || from === parts[i - 1]!.to)).toBe(true);
        const shard = any % shards;
        const { x, y } = cellPlace(layout, shard);
        expect(shardAt(layout, x + 1, y + layout.cell - 1)).toBe(shard);
        expect(y + layout.cell).toBeLessThanOrEqual(layout.height);
      }),
    );
  });

  it("makes cells large where there are few, and never too small to be hit", () => {
    expect(layoutMap(40, 1000).cell).toBe(26);
    expect(layoutMap(1_000_000, 1000).cell).toBe(10);
  });

  it("finds nothing beside the cells", () => {
    const layout = layoutMap(7, 26 * 5);
    expect([shardAt(layout, -1, 0), shardAt(layout, 131, 0), shardAt(layout, 60, 30), shardAt(layout, 5, -2)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("shardByKey", () => {
  const layout = layoutMap(23, 26 * 10);

  it.each([
    [5, "ArrowLeft", 4],
    [0, "ArrowLeft", 0],
    [5, "ArrowRight", 6],
    [5, "ArrowDown", 15],
    [15, "ArrowDown", 15],
    [15, "ArrowUp", 5],
    [5, "ArrowUp", 5],
    [15, "PageUp", 0],
    [5, "PageDown", 22],
    [9, "Home", 0],
    [9, "End", 22],
    [9, "a", undefined],
  ])("leads from %d by %s to %s", (shard, key, next) => expect(shardByKey(layout, shard, key)).toBe(next));
});
