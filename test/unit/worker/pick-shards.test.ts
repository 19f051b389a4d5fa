import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickShards, type ShardPicker } from "../../../src/worker/pick-shards.ts";

function takeAll(picker: ShardPicker, misses = (_id: number) => false): number[] {
  const taken: number[] = [];
  for (let id = picker.next(); id !== undefined; id = picker.next()) {
    taken.push(id);
    if (misses(id)) picker.miss();
  }
  return taken;
}

const isHeld = () => false;
const always = (value: number) => () => value;

describe("shards to try", () => {
  it("come in order, also after a miss, where few workers share heavy shards", () => {
    const picker = pickShards([2, 3, 5, 7], isHeld, { isSpread: false, random: always(0.6) });
    expect(takeAll(picker, (id) => id === 3)).toEqual([2, 3, 5, 7]);
  });

  it("begin anywhere where workers are spread, and wrap around", () => {
    expect(takeAll(pickShards([2, 3, 5, 7], isHeld, { isSpread: true, random: always(0.5) }))).toEqual([5, 7, 2, 3]);
  });

  it("continue somewhere else where another worker was met", () => {
    const places = [0, 0.75];
    const picker = pickShards([2, 3, 5, 7], isHeld, { isSpread: true, random: () => places.shift() ?? 0 });
    expect(takeAll(picker, (id) => id === 2)).toEqual([2, 7, 3, 5]);
  });

  it("are not those that another worker holds", () => {
    const isHeld = (id: number) => id === 3;
    expect(takeAll(pickShards([2, 3, 5], isHeld, { isSpread: false, random: always(0) }))).toEqual([2, 5]);
  });

  it("are none where none is left", () => {
    expect(takeAll(pickShards([], isHeld, { isSpread: true, random: Math.random }))).toEqual([]);
  });

  it("come each once, whatever other workers hold", () => {
    const random = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat()),
        random,
        fc.boolean(),
        fc.func(fc.boolean()),
        (ids, numbers, isSpread, misses) => {
          const picker = pickShards(ids, isHeld, { isSpread, random: () => numbers.next().value as number });
          expect(takeAll(picker, misses).sort()).toEqual([...ids].sort());
          expect(picker.next()).toBeUndefined();
        },
      ),
    );
  });
});
