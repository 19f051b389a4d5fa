import { type ChildProcess, spawn } from "node:child_process";

/** Ends worker processes whose driver was killed and that are too busy to notice it. */
export interface OrphanGuard {
  watch(pid: number): void;
  /** Ends the guard: the workers have ended before the driver. */
  dismiss(): void;
}

/**
 * The input of this script ends when the driver ends. Then workers leave by themselves, except one that is blocked in
 * `forward`. The name is compared because by then the pid may belong to another process.
 */
export const orphanGuardScript = `
pids=""
while read -r pid; do pids="$pids $pid"; done
sleep 4
for pid in $pids; do
  case "$(tr '\\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null)" in
    *worker-process.js*) kill -9 "$pid" ;;
  esac
done
`;

/**
 * Starts a small process that outlives this one. The heartbeat thread of each worker watches the driver too, but short
 * runs have no such thread.
 */
export function openOrphanGuard(): OrphanGuard {
  let guard: ChildProcess | undefined;
  let waiting: number[] = [];
  // In the next turn of the event loop, so that it does not delay the start of workers.
  const soon = setImmediate(() => {
    guard = startGuard();
    for (const pid of waiting) sendPid(pid);
    waiting = [];
  });
  const sendPid = (pid: number) => void guard?.stdin?.write(`${pid}\n`);
  return {
    watch(pid) {
      if (guard === undefined) waiting.push(pid);
      else sendPid(pid);
    },
    dismiss() {
      clearImmediate(soon);
      guard?.kill("SIGKILL");
    },
  };
}

function startGuard(): ChildProcess {
  // In a new session, so that Ctrl-C does not reach it.
  const guard = spawn("sh", ["-c", orphanGuardScript], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // Without a shell, only the heartbeat threads watch the driver.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  // The pipe to a child process is a socket, although its type is Writable.
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return guard;
}
