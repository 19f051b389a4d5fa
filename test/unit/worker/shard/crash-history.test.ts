import { describe, expect, it } from "vitest";
import type { AttemptEnd, ItemNote, WorkerExit } from "../../../../src/run-folder/history/attempt-notes.ts";
import { judgeCrashes } from "../../../../src/worker/shard/crash-history.ts";

const killed: WorkerExit = { signal: "SIGKILL" };
const segfault: WorkerExit = { signal: "SIGSEGV" };

/** A worker died at the item at a position, or at none. */
function died(exit: WorkerExit | undefined, position?: number, note: Partial<ItemNote> = {}): AttemptEnd {
  const item = position === undefined ? undefined : { position, count: 1, ...note };
  return { isReleased: false, item, exit };
}

const stuck = (position: number) => died(killed, position, { stuckMs: 500 });
const givenBack: AttemptEnd = { isReleased: true, item: undefined, exit: undefined };
const judge = (ends: readonly AttemptEnd[], retries = 0) => judgeCrashes(ends, { retries });
const times = (n: number, end: AttemptEnd) => Array.from({ length: n }, () => end);

describe("a shard", () => {
  it("that no worker died at is run without care", () => {
    expect(judge([])).toMatchObject({ isCareful: false, endsOutsideItems: 0 });
    expect(judge([givenBack])).toMatchObject({ isCareful: false });
  });

  it("that a worker died at is run with care", () => {
    expect(judge([died(segfault)])).toMatchObject({ isCareful: true });
  });

  it("that was released since is run without care again, and nothing is held against its items", () => {
    const history = judge([died(segfault), died(segfault, 3), died(killed, 4, { count: 8 }), givenBack]);
    expect(history.isCareful).toBe(false);
    expect(history.verdict(3)).toBeUndefined();
    expect(history.mustRunAlone(5)).toBe(false);
  });

  it("is judged by what came after it was last released", () => {
    const history = judge([died(segfault, 3), givenBack, died(segfault, 4)]);
    expect(history.verdict(3)).toBeUndefined();
    expect(history.verdict(4)).toBeDefined();
  });

  it("counts the ends outside its items, but for the first: that attempt took no notes", () => {
    expect(judge([died(segfault)]).endsOutsideItems).toBe(0);
    expect(judge([died(segfault), died(segfault, 2), died(segfault), died({ code: 3 })]).endsOutsideItems).toBe(2);
  });

  it("is not blamed for ends that came from outside, or that were not seen", () => {
    expect(judge(times(9, died(killed))).endsOutsideItems).toBe(0);
    expect(judge(times(9, died(undefined))).endsOutsideItems).toBe(0);
  });
});

describe("the item a worker died at", () => {
  it.each<[string, WorkerExit]>([
    ["a crash", segfault],
    ["an abort", { signal: "SIGABRT" }],
    ["an exit", { code: 0 }],
    ["an uncaught error", { code: 1, message: "Error: no" }],
  ])("has had its chance after %s", (_name, exit) => {
    expect(judge([died(exit, 3)]).verdict(3)).toMatchObject({ tries: 1, error: { code: "ITEM_CRASHED" } });
  });

  it.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGUSR2"])(
    "is not blamed for %s alone, which comes from outside",
    (signal) => {
      expect(judge(times(20, died({ signal }, 3))).verdict(3)).toBeUndefined();
    },
  );

  it.each<[string, WorkerExit]>([
    ["exits for SIGTERM, by its code", { code: 143 }],
    ["exits after a signal had asked it to leave", { code: 0, wasWarned: true }],
  ])("is not blamed for a worker that %s", (_what, exit) => {
    expect(judge(times(20, died(exit, 3))).verdict(3)).toBeUndefined();
  });

  it("is not blamed where the end of the worker was not seen", () => {
    expect(judge(times(20, died(undefined, 3))).verdict(3)).toBeUndefined();
  });

  it("is blamed where the kernel ended the worker because its cgroup was out of memory", () => {
    expect(judge([died({ ...killed, outOfMemory: "cgroup" }, 3)]).verdict(3)).toMatchObject({
      tries: 1,
      error: {
        message: expect.stringMatching(
          /^the worker was ended by SIGKILL \(out of memory\) while this item ran: the kernel ended it because the memory limit/,
        ),
      },
    });
  });

  it("is blamed at the second time where the host was out of memory: that may be the doing of other programs", () => {
    const end = died({ ...killed, outOfMemory: "host" }, 3);
    expect(judge([end]).verdict(3)).toBeUndefined();
    expect(judge([end, end]).verdict(3)).toMatchObject({ tries: 2 });
  });

  it("is blamed at the second time where it had filled the worker's memory, also if the end was not seen", () => {
    const memory = { rss: 1950 * 2 ** 20, limit: 2000 * 2 ** 20 };
    const filled = died({ memory }, 3, { rss: 300 * 2 ** 20 });
    const wasFullBefore = died({ memory }, 3, { rss: 1900 * 2 ** 20 });
    expect(judge([filled]).verdict(3)).toBeUndefined();
    expect(judge([filled, filled]).verdict(3)).toMatchObject({
      error: { message: expect.stringContaining("its memory had grown from 300 to 1950 of 2000 MB") },
    });
    expect(judge(times(9, wasFullBefore)).verdict(3)).toBeUndefined();
  });

  it("is judged by all its ends together", () => {
    expect(judge([died(undefined, 3), died(killed, 3)]).verdict(3)).toBeUndefined();
    expect(judge([died(killed, 3), died(segfault, 3)]).verdict(3)).toMatchObject({ tries: 2 });
  });

  it("does not answer for the other items", () => {
    const history = judge([died(killed, 3), died(killed, 4), died(segfault, 6)]);
    expect([2, 3, 4, 5].map(history.verdict)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is reported with the last end that was seen", () => {
    expect(judge([died(segfault, 3), died({ code: 9 }, 3), died(undefined, 3)]).verdict(3)!.error.message).toMatch(
      /^the worker exited with code 9 while this item ran/,
    );
  });

  it("runs alone from then on if it was one of several", () => {
    const history = judge([died(segfault, 4, { count: 3 })]);
    expect([3, 4, 5, 6, 7].map(history.mustRunAlone)).toEqual([false, true, true, true, false]);
    expect([4, 5, 6].map(history.verdict)).toEqual([undefined, undefined, undefined]);
  });

  it("stays in its batch after kills from outside, until there were three of them", () => {
    const end = died(killed, 4, { count: 3 });
    expect(judge([end, end]).mustRunAlone(5)).toBe(false);
    expect(judge([end, end, end]).mustRunAlone(5)).toBe(true);
  });
});

describe("the item that used up its time", () => {
  it("is tried again as often as retries says", () => {
    expect(judge([stuck(3)]).verdict(3)).toMatchObject({
      tries: 1,
      error: { code: "ITEM_TIMEOUT", message: expect.stringContaining("more than 500 ms") },
    });
    expect(judge([stuck(3)], 1).verdict(3)).toBeUndefined();
    expect(judge([stuck(3), stuck(3)], 1).verdict(3)).toMatchObject({ tries: 2, error: { code: "ITEM_TIMEOUT" } });
  });

  it("is not taken for one that was killed from outside", () => {
    expect(judge([stuck(3), died(killed, 3), stuck(3)], 2).verdict(3)).toBeUndefined();
  });

  it("runs alone from then on if it was one of several", () => {
    const history = judge([died(killed, 0, { count: 4, stuckMs: 2000 })]);
    expect(history.mustRunAlone(3)).toBe(true);
    expect(history.verdict(0)).toBeUndefined();
  });
});
