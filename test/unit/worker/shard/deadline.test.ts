import { describe, expect, it } from "vitest";
import { deadlineFromEnvironment, deadlineVariable, openDeadline } from "../../../../src/worker/shard/deadline.ts";

/** A worker that asks before each of its items, and how many it has begun when it is to leave. */
function itemsBegun(deadlineMs: number | undefined, itemsMs: readonly number[], beganMs = 0): number {
  let nowMs = beganMs;
  const { isTimeUp } = openDeadline(deadlineMs, () => nowMs);
  const last = itemsMs.findIndex((ms) => {
    if (isTimeUp()) return true;
    nowMs += ms;
    return false;
  });
  return last < 0 ? itemsMs.length : last;
}

const times = (count: number, ms: number) => Array.from({ length: count }, () => ms);

describe("a worker with a deadline", () => {
  it("begins what is sure to be over in time, by the longest item so far", () => {
    expect(itemsBegun(1000, times(100, 100))).toBe(9);
    expect(itemsBegun(1000, [300, ...times(100, 10)])).toBe(26);
  });

  it("begins one item in any case, as it does not know yet how long they take", () => {
    expect(itemsBegun(1000, times(5, 100_000))).toBe(1);
  });

  it("begins none when its time was up before", () => {
    expect(itemsBegun(1000, times(5, 1), 1000)).toBe(0);
    expect(itemsBegun(1000, times(5, 1), 5000)).toBe(0);
  });

  it("does not count the time before the first question", () => {
    expect(itemsBegun(1000, times(5, 1), 900)).toBe(5);
  });

  it("has none by default", () => {
    expect(itemsBegun(undefined, times(5, 1e9))).toBe(5);
  });
});

it("the deadline of a process comes with its variables", () => {
  expect(deadlineFromEnvironment({ [deadlineVariable]: "1700000000000" })).toBe(1_700_000_000_000);
  expect(deadlineFromEnvironment({})).toBeUndefined();
  expect(deadlineFromEnvironment({ [deadlineVariable]: "soon" })).toBeUndefined();
});
