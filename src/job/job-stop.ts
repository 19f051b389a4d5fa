import type { StopRequests } from "../launchers/launcher.ts";

/** What ends a job before its work is done: its time, or a signal of the scheduler. */
export interface JobStop extends StopRequests {
  isTimeUp(): boolean;
  forget(): void;
}

// Schedulers warn with one of these before they kill: at the end of the walltime, to make room for others, on cancel.
const warnings = ["SIGTERM", "SIGUSR2", "SIGINT", "SIGXCPU"] as const;
// A warning that comes this close to the end is about the time.
const nearMs = 90_000;
const longestTimerMs = 2 ** 31 - 1;

/** Watches the clock and the signals of a job. */
export function jobStop(deadlineMs: number | undefined, { isAttached }: { readonly isAttached: boolean }): JobStop {
  const leave = new AbortController();
  const kill = new AbortController();
  let isTimeUp = false;
  const onWarning = () => {
    if (deadlineMs !== undefined && Date.now() > deadlineMs - nearMs) isTimeUp = true;
    leave.abort();
  };
  for (const signal of warnings) process.on(signal, onWarning);
  if (isAttached) process.stdin.on("error", onWarning).on("end", onWarning).resume();
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(
          () => {
            isTimeUp = true;
            leave.abort();
          },
          Math.min(longestTimerMs, Math.max(0, deadlineMs - Date.now())),
        );
  timer?.unref();
  return {
    leave: leave.signal,
    kill: kill.signal,
    isTimeUp: () => isTimeUp || (deadlineMs !== undefined && Date.now() > deadlineMs),
    forget() {
      clearTimeout(timer);
      for (const signal of warnings) process.off(signal, onWarning);
      process.stdin.off("end", onWarning).off("error", onWarning).pause();
    },
  };
}
