import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { MillraceError } from "../../errors/errors.ts";
import { entryUrl } from "../../runtime/entry-url.ts";
import { inheritedArguments } from "../../runtime/inherited-arguments.ts";
import type { WorkerRequest, WorkerStart } from "../../worker/messages.ts";
import type { StartedWorker, WorkerEnd } from "../launcher.ts";
import { type MonitoredStart, monitorWorker } from "./monitor-worker.ts";

export interface ProcessOptions extends WorkerStart {
  /** Environment variables in addition to those of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly maxHeapMb: number | undefined;
  readonly onStart: (pid: number) => void;
  readonly onReady?: (() => void) | undefined;
}

const entry = fileURLToPath(entryUrl("worker-process.js"));
// How long a worker may take to exit after its final message: its env may have left something open.
const exitGraceMs = 10_000;

/** Starts a worker in a new process. */
export function startProcess(options: ProcessOptions): StartedWorker {
  const { runDir, name, variables, maxHeapMb, onStart, onReady } = options;
  const heap = maxHeapMb === undefined ? [] : [`--max-old-space-size=${maxHeapMb}`];
  const child = fork(entry, [runDir, name, String(process.pid)], {
    execArgv: [...inheritedArguments(process.execArgv), ...heap],
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (child.pid !== undefined) onStart(child.pid);
  const send = (request: WorkerRequest) => {
    if (child.connected) child.send(request, () => {});
  };
  return {
    name,
    ended: watch(child, { runDir, name, onReady }),
    send,
    kill: () => void child.kill("SIGKILL"),
  };
}

function watch(child: ChildProcess, start: MonitoredStart): Promise<WorkerEnd> {
  const monitor = monitorWorker(start, { stdout: child.stdout!, stderr: child.stderr! });
  const ended = new Promise<WorkerEnd>((resolve) => {
    void monitor.ended.then(resolve);
    child.on("error", (cause) => {
      // Also emitted if an exiting child could not receive a message. Such a child exits by itself.
      if (child.pid === undefined) resolve({ kind: "failed", error: notStarted(cause) });
    });
  });
  let timer: NodeJS.Timeout | undefined;
  void ended.then(() => {
    if (child.exitCode === null && child.signalCode === null)
      timer = setTimeout(() => child.kill("SIGKILL"), exitGraceMs);
  });
  child.on("message", monitor.onResponse);
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    monitor.onExit({ code: code ?? undefined, signal: signal ?? undefined, atMs: Date.now() });
  });
  return ended;
}

function notStarted(cause: Error): MillraceError {
  return new MillraceError("WORKER_CRASHED", `A worker process could not be started: ${cause.message}`, {
    cause,
    hint: "Lower n_workers, or raise the limits of this user (ulimit -u, memory).",
  });
}
