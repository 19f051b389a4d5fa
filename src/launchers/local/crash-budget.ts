import { MillraceError } from "../../errors/errors.ts";
import { describeExit, isSelfInflicted, type WorkerExit } from "../../run-folder/history/attempt-notes.ts";
import type { CrashedEnd } from "../launcher.ts";

/** Whether a crashed worker is replaced. */
type CrashDecision =
  | { readonly kind: "replace"; readonly afterMs: number }
  | { readonly kind: "give up"; readonly error: MillraceError };

/** Decides whether a crashed worker is replaced, and when. */
export interface CrashBudget {
  /** `hasProgress`: whether a worker has saved something since the last crash. */
  answer(crash: CrashedEnd, hasProgress: boolean): CrashDecision;
}

// After this many consecutive workers that crash before their env is built, the run is given up.
const maxEarlyDeaths = 3;
// Kills from outside say nothing about the run. It is given up only after this much time and this many kills, both
// without progress.
const minStandstillMs = 60_000;
const minStandstillEnds = 30;
const standstillEndsPerSlot = 4;
const firstPauseMs = 50;
const pauseGrowth = 1.5;
const maxPauseMs = 5000;

export function openCrashBudget(slots: number, now: () => number = () => performance.now()): CrashBudget {
  let earlyDeaths = 0;
  let outsideEnds = 0;
  let lastProgressMs = now();
  return {
    answer(crash, hasProgress) {
      if (crash.wasReady) earlyDeaths = 0;
      if (hasProgress) {
        outsideEnds = 0;
        lastProgressMs = now();
      }
      return isSelfInflicted(crash.exit) ? afterCrash(crash) : afterKill(crash);
    },
  };

  function afterCrash(crash: CrashedEnd): CrashDecision {
    if (!crash.wasReady) earlyDeaths++;
    if (earlyDeaths >= maxEarlyDeaths) return { kind: "give up", error: cannotStart(crash) };
    return { kind: "replace", afterMs: 0 };
  }

  /** After the first kills a worker is replaced at once. Without progress the pauses grow. */
  function afterKill({ exit }: CrashedEnd): CrashDecision {
    outsideEnds++;
    const standstillMs = now() - lastProgressMs;
    const maxEnds = Math.max(minStandstillEnds, standstillEndsPerSlot * slots);
    if (outsideEnds > maxEnds && standstillMs > minStandstillMs)
      return { kind: "give up", error: killedFromOutside(exit, outsideEnds, standstillMs) };
    const pauses = Math.floor(outsideEnds / slots) - 1;
    const afterMs = pauses <= 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * pauseGrowth ** (pauses - 1));
    return { kind: "replace", afterMs };
  }
}

function cannotStart({ exit, lastOutput }: CrashedEnd): MillraceError {
  const words = lastOutput.trim();
  const shown = words === "" ? "It wrote nothing to stderr." : `Its last output:\n${words.replace(/^/gm, "    ")}`;
  return new MillraceError(
    "WORKER_CRASHED",
    `${maxEarlyDeaths} workers in a row died before their env was built; the last one ${describeExit(exit)}. ${shown}`,
    {
      hint: "Try the provider alone with env: local. Everything committed so far is kept; run again once it is corrected.",
    },
  );
}

function killedFromOutside(exit: WorkerExit, ends: number, standstillMs: number): MillraceError {
  const seconds = Math.round(standstillMs / 1000);
  return new MillraceError(
    "WORKERS_KILLED",
    `${ends} workers in a row were ended from outside, and the run saved nothing for ${seconds} s; the last one ${describeExit(exit)}.`,
    {
      hint: "Find out what ends them: an operator, a scheduler's limit, a memory watchdog. Everything committed so far is kept; run again once they are left alone.",
    },
  );
}
