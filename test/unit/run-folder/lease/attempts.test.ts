import { describe, expect, it } from "vitest";
import { groupAttempts } from "../../../../src/run-folder/lease/attempts.ts";

describe("groupAttempts", () => {
  it("sorts names by shard", () => {
    const found = groupAttempts(["0.1", "12.3", "merge.2"]);
    expect([...found.keys()]).toEqual([0, 12, "merge"]);
    expect(found.get(12)).toEqual({ active: 3, fenced: [], highest: 3 });
  });

  it("separates the active attempt from the fenced ones, oldest first", () => {
    const found = groupAttempts(["7.10.fenced", "7.11", "7.2.fenced", "7.9.fenced"]);
    expect(found.get(7)).toEqual({ active: 11, fenced: [2, 9, 10], highest: 11 });
  });

  it("takes the newest of several active attempts", () => {
    expect(groupAttempts(["4.2", "4.10", "4.9"]).get(4)!.active).toBe(10);
  });

  it("has no active attempt where all are fenced", () => {
    expect(groupAttempts(["4.1.fenced"]).get(4)).toEqual({ active: undefined, fenced: [1], highest: 1 });
  });

  it("counts a replaced shard only for the highest number", () => {
    expect(groupAttempts(["4.6.replaced"]).get(4)).toEqual({ active: undefined, fenced: [], highest: 6 });
  });

  it("leaves names alone that are none of its own", () => {
    expect(groupAttempts([".nfs0001", "4", "a.1", "4.x", "merge", "4.1.fenced.old", ".clock-1-2"]).size).toBe(0);
  });

  it("finds nothing among no names", () => {
    expect(groupAttempts([]).size).toBe(0);
  });
});
