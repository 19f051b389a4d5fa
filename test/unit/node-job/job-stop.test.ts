import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type JobStop, jobStop } from "../../../src/node-job/job-stop.ts";

let stop: JobStop;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  stop = jobStop({ isAttached: false });
});
afterEach(() => {
  stop.dispose();
  vi.useRealTimers();
});

const inMs = (ms: number) => Date.now() + ms;

describe("a job", () => {
  it("has its workers leave at its deadline", () => {
    stop.at(inMs(5000));
    vi.advanceTimersByTime(4999);
    expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([true, true]);
  });

  it("starts no worker where its deadline is over", () => {
    stop.at(inMs(-1));
    expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([true, true]);
  });

  it("stays where it has no deadline, or one that is farther off than a timer reaches", () => {
    stop.at(undefined);
    stop.at(inMs(2 ** 31 + 1000));
    vi.advanceTimersByTime(10_000);
    expect(stop.leave.aborted).toBe(false);
  });

  it.each(["SIGTERM", "SIGUSR2", "SIGXCPU"] as const)(
    "leaves at %s, far from its end: that is not about its time",
    (signal) => {
      stop.at(inMs(3_600_000));
      process.emit(signal, signal);
      expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([true, false]);
    },
  );

  it("takes a warning near its end for one about its time", () => {
    stop.at(inMs(60_000));
    process.emit("SIGTERM", "SIGTERM");
    expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([true, true]);
  });

  it("hears a signal before its deadline is known", () => {
    process.emit("SIGTERM", "SIGTERM");
    expect([stop.leave.aborted, stop.isTimeUp()]).toEqual([true, false]);
  });
});
