import type { StopRequests } from "../launchers/launcher.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { sleep } from "../runtime/sleep.ts";

const signals = ["SIGINT", "SIGTERM"] as const;
// The time to wait after the second signal for workers that are ending or cannot be ended.
const killGraceMs = 1000;
// The same for jobs of a scheduler, which takes longer to end them.
const cancelGraceMs = 60_000;

interface ActiveRun {
  /** Its workers continue without this process. */
  readonly outlivesDriver: boolean;
  readonly leave: AbortController;
  readonly kill: AbortController;
}

const active = new Set<ActiveRun>();
let received: NodeJS.Signals | undefined;
let outlivedDriver = false;
let lastResort: NodeJS.Timeout | undefined;
const lastActs = new Set<() => void>();

/** Registers a function that runs just before a signal ends this process without waiting for the run. */
export function onBeforeExit(act: () => void): () => void {
  lastActs.add(act);
  return () => void lastActs.delete(act);
}

/**
 * Runs something that Ctrl-C (or SIGTERM) stops: once, it saves and leaves; twice, its workers are ended at once.
 * Workers on other hosts continue after the first, and are cancelled by the second. Then the signal has its usual
 * effect: it ends this process, unless the user's script listens for it.
 */
export async function withStopSignals<T>(
  { userSignal, outlivesDriver }: { readonly userSignal: AbortSignal | undefined; readonly outlivesDriver: boolean },
  act: (stop: StopRequests) => Promise<T>,
): Promise<T> {
  const run: ActiveRun = { outlivesDriver, leave: new AbortController(), kill: new AbortController() };
  const leave = () => run.leave.abort();
  if (userSignal?.aborted) leave();
  userSignal?.addEventListener("abort", leave);
  if (active.size === 0) for (const signal of signals) process.on(signal, onSignal);
  active.add(run);
  try {
    return await act({ leave: run.leave.signal, kill: run.kill.signal });
  } finally {
    userSignal?.removeEventListener("abort", leave);
    active.delete(run);
    outlivedDriver = outlivesDriver;
    if (active.size === 0) await passOn();
  }
}

function onSignal(signal: NodeJS.Signals): void {
  if (received === undefined) {
    received = signal;
    process.stderr.write(
      [...active].some((run) => run.outlivesDriver)
        ? "\nmillrace: leaving; the jobs continue. Ctrl-C again within three seconds cancels them\n"
        : "\nmillrace: stopping after the current items; Ctrl-C again stops at once\n",
    );
    for (const run of active) run.leave.abort("signal");
    return;
  }
  for (const run of active) run.kill.abort();
  const graceMs = [...active].some((run) => run.outlivesDriver) ? cancelGraceMs : killGraceMs;
  lastResort ??= setTimeout(() => void passOn(), graceMs);
}

/** Lets the signal have its usual effect. */
async function passOn(): Promise<void> {
  clearTimeout(lastResort);
  lastResort = undefined;
  for (const name of signals) process.off(name, onSignal);
  const signal = received;
  received = undefined;
  if (signal === undefined || process.listenerCount(signal) > 0) return;
  if (!outlivedDriver) process.stderr.write("millrace: stopped; run it again and it continues where it was\n");
  // The process ends nevertheless.
  for (const act of lastActs) ignoreErrors(act);
  process.kill(process.pid, signal);
  // The signal ends the process within this time; nothing of the script runs meanwhile.
  await sleep(killGraceMs);
}
