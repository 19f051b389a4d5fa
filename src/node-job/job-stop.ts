import type { StopRequests } from "../launchers/launcher.ts";

/** Ends a job early: because of its time limit, or a signal of the scheduler. */
export interface JobStop extends StopRequests {
  /** Sets the deadline, in milliseconds of this host's clock. */
  at(deadlineMs: number | undefined): void;
  isTimeUp(): boolean;
  dispose(): void;
}

// Schedulers send one of these before they kill a job: at the end of the walltime, on preemption, on cancel.
const warnings = ["SIGTERM", "SIGUSR2", "SIGINT", "SIGXCPU"] as const;
// A signal this close to the deadline counts as the end of the walltime.
const nearMs = 90_000;
const maxTimerMs = 2 ** 31 - 1;

/** Watches the deadline and the signals of a job. */
export function jobStop({ isAttached }: { readonly isAttached: boolean }): JobStop {
  const leave = new AbortController();
  const kill = new AbortController();
  let isTimeUp = false;
  let deadlineMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onWarning = () => {
    if (deadlineMs !== undefined && Date.now() > deadlineMs - nearMs) endTime();
    else leave.abort();
  };
  const endTime = () => {
    isTimeUp = true;
    leave.abort();
  };
  for (const signal of warnings) process.on(signal, onWarning);
  if (isAttached) process.stdin.on("error", onWarning).on("end", onWarning).resume();
  return {
    at(ms) {
      deadlineMs = ms;
      const leftMs = (ms ?? Number.POSITIVE_INFINITY) - Date.now();
      if (leftMs <= 0) endTime();
      else if (leftMs < maxTimerMs) timer = setTimeout(endTime, leftMs).unref();
    },
    leave: leave.signal,
    kill: kill.signal,
    isTimeUp: () => isTimeUp || (deadlineMs !== undefined && Date.now() > deadlineMs),
    dispose() {
      clearTimeout(timer);
      for (const signal of warnings) process.off(signal, onWarning);
      process.stdin.off("end", onWarning).off("error", onWarning).pause();
    },
  };
}
