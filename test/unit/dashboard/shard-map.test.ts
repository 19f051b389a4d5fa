import { describe, expect, it } from "vitest";
import { openShardMap } from "../../../src/dashboard/view/shard-map.ts";

const sound = { items: 10, written: 9, dropped: 1, failed: 0 };
const flawed = { items: 10, written: 8, dropped: 0, failed: 2 };

describe("the map of shards", () => {
  it("has a letter for everything that a shard can be", () => {
    const map = openShardMap(6);
    map.commit(0, 1, sound);
    map.commit(1, 1, flawed);
    map.damage(2);
    map.fence(3);
    map.hold(new Set([4]));
    expect(map.text()).toBe("cfdwr.");
    expect(map.sums).toEqual({ committed: 2, damaged: 1, done: 20, written: 17, dropped: 1, failed: 2 });
  });

  it("reports each change once", () => {
    const map = openShardMap(3);
    map.hold(new Set([0, 1]));
    expect(map.takeChanges()).toEqual([
      [0, "r"],
      [1, "r"],
    ]);
    map.hold(new Set([1]));
    map.commit(0, 1, sound);
    expect(map.takeChanges()).toEqual([[0, "c"]]);
    expect(map.takeChanges()).toEqual([]);
  });

  it("shows a shard that was left as waiting, and as running once a worker has it again", () => {
    const map = openShardMap(1);
    map.hold(new Set([0]));
    map.fence(0);
    map.hold(new Set());
    expect(map.text()).toBe("w");
    map.hold(new Set([0]));
    expect(map.text()).toBe("r");
  });

  it("counts a shard that is committed again once, whatever comes late", () => {
    const map = openShardMap(1);
    map.commit(0, 1, flawed);
    map.commit(0, 2, sound);
    map.commit(0, 1, flawed);
    expect(map.text()).toBe("c");
    expect(map.sums).toMatchObject({ committed: 1, done: 10, failed: 0 });
    expect(map.failures()).toEqual([]);
  });

  it("forgets a shard that is gone, and knows none outside of the plan", () => {
    const map = openShardMap(1);
    map.commit(0, 1, flawed);
    expect(map.failures()).toEqual([[0, 2]]);
    map.markMissing(0);
    map.commit(7, 1, sound);
    map.hold(new Set([-1, 9]));
    expect(map.text()).toBe(".");
    expect(map.sums).toMatchObject({ committed: 0, done: 0, failed: 0 });
  });
});
