import { describe, expect, it } from "vitest";
import type { CrashedEnd } from "../../../../src/launchers/launcher.ts";
import { openCrashBudget } from "../../../../src/launchers/local/crash-budget.ts";
import type { WorkerExit } from "../../../../src/run-folder/history/attempt-notes.ts";

const killed: WorkerExit = { signal: "SIGKILL" };
const crash = (exit: WorkerExit, wasReady = false): CrashedEnd => ({
  kind: "crashed",
  exit,
  wasReady,
  lastOutput: "cannot load model",
});

/** A budget for two workers with a clock that the test moves. */
function newBudget(slots = 2) {
  const clock = { ms: 0 };
  return { clock, budget: openCrashBudget(slots, () => clock.ms) };
}

describe("the crash budget", () => {
  it("is used up by three workers in a row that end themselves before their env is built", () => {
    const { budget } = newBudget();
    expect(budget.answer(crash({ code: 3 }), false)).toEqual({ kind: "replace", afterMs: 0 });
    expect(budget.answer(crash({ signal: "SIGSEGV" }), false)).toEqual({ kind: "replace", afterMs: 0 });
    expect(budget.answer(crash({ ...killed, outOfMemory: "cgroup" }), false)).toMatchObject({
      kind: "give up",
      error: {
        code: "WORKER_CRASHED",
        message: expect.stringMatching(/the last one was ended by SIGKILL \(out of memory\)[\s\S]*cannot load model/),
      },
    });
  });

  it("begins again with a worker that was ready", () => {
    const { budget } = newBudget();
    for (let i = 0; i < 20; i++) {
      expect(budget.answer(crash({ code: 3 }, i % 3 === 2), false).kind).toBe("replace");
    }
  });

  it("is not used by workers that are killed from outside while they start", () => {
    const { budget, clock } = newBudget();
    for (let i = 0; i < 1000; i++) {
      clock.ms += 100;
      expect(budget.answer(crash(killed), i % 20 === 0).kind).toBe("replace");
    }
    expect(budget.answer(crash({ code: 3 }), false).kind).toBe("replace");
  });

  it("answers the first kills at once and later ones with growing pauses, until something is saved again", () => {
    const { budget } = newBudget(1);
    const pauses = Array.from({ length: 16 }, () => {
      const answer = budget.answer(crash(killed, true), false);
      return answer.kind === "replace" ? answer.afterMs : -1;
    });
    expect(pauses.slice(0, 4)).toEqual([0, 50, 75, 112.5]);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBe(5000);
    expect(budget.answer(crash(killed, true), true)).toEqual({ kind: "replace", afterMs: 0 });
  });

  it("gives up, and says why, where workers are killed again and again and nothing is saved for a minute", () => {
    const { budget, clock } = newBudget();
    for (let i = 0; i < 40; i++) expect(budget.answer(crash(killed), false).kind).toBe("replace");
    clock.ms += 61_000;
    expect(budget.answer(crash(killed), false)).toMatchObject({
      kind: "give up",
      error: {
        code: "WORKERS_KILLED",
        message: expect.stringMatching(/41 workers in a row were ended from outside.*nothing for 61 s.*SIGKILL/),
      },
    });
  });

  it("gives up later where many workers are killed at once", () => {
    const { budget, clock } = newBudget(100);
    clock.ms += 120_000;
    for (let i = 0; i < 400; i++) expect(budget.answer(crash(killed), false).kind).toBe("replace");
    expect(budget.answer(crash(killed), false).kind).toBe("give up");
  });
});
