import { type ChildProcess, spawn } from "node:child_process";

/** Ends worker processes whose driver was killed and that are too busy to notice. */
export interface OrphanGuard {
  watch(pid: number): void;
  /** The workers have ended before the driver: the guard is not needed any more. */
  dismiss(): void;
}

/**
 * Its input ends when the driver ends. Workers leave by themselves then, except one that is blocked in `forward`. The
 * name is compared because the pid may belong to another process by now.
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
 * Starts a small process that outlives this one. The heartbeat thread of each worker watches the driver too, but it
 * costs more than a short run and may not be started yet.
 */
export function openOrphanGuard(): OrphanGuard {
  let guard: ChildProcess | undefined;
  let waiting: number[] = [];
  // A moment later, so that it delays no worker's start.
  const soon = setImmediate(() => {
    guard = startGuard();
    for (const pid of waiting) tell(pid);
    waiting = [];
  });
  const tell = (pid: number) => void guard?.stdin?.write(`${pid}\n`);
  return {
    watch(pid) {
      if (guard === undefined) waiting.push(pid);
      else tell(pid);
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
  // A pipe to a child process is a socket, whatever its type says.
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return guard;
}
