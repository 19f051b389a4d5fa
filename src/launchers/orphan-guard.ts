import { type ChildProcess, spawn } from "node:child_process";

/** Ends worker processes whose driver was killed and that are too busy to notice. */
export interface OrphanGuard {
  watch(pid: number): void;
  /** The driver lives, and its workers have ended: there is nothing to guard. */
  dismiss(): void;
}

// Its input ends when the driver does, however that happens. Workers leave by themselves then; one that is blocked in
// `forward` cannot. The name is looked at because the number may be another process's by now.
const script = `
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
 * Starts a small process that outlives this one. The thread beside each worker watches the driver too, but it costs more
 * than a short run, so it may not be there yet.
 */
export function openOrphanGuard(): OrphanGuard {
  let guard: ChildProcess | undefined;
  let waiting: number[] = [];
  // A moment later, so that it holds up no worker's start.
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
  // Of its own session: Ctrl-C is not meant for it.
  const guard = spawn("sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // Where there is no shell, the threads are the only watch.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}
