import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { entryUrl } from "../shared/entry-url.ts";
import { MillraceError } from "../shared/errors.ts";
import { beginOrder, leaveOrder, type WorkerStart } from "../worker/worker-line.ts";
import { type ListenedStart, listenToWorker } from "./listen-to-worker.ts";
import type { StartedWorker, WorkerEnd } from "./supervise.ts";

export interface ProcessOptions extends WorkerStart {
  /** Variables beside those of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly maxHeapMb: number | undefined;
  readonly onStart: (pid: number) => void;
  readonly onReady?: (() => void) | undefined;
}

const entry = fileURLToPath(entryUrl("worker-process.js"));
// How long a worker that has said its last word may take to end: its env may have left something open.
const exitGraceMs = 10_000;

/** Starts a worker in a process of its own. */
export function startProcess(options: ProcessOptions): StartedWorker {
  const { runDir, name, variables, maxHeapMb, onStart, onReady } = options;
  const heap = maxHeapMb === undefined ? [] : [`--max-old-space-size=${maxHeapMb}`];
  const child = fork(entry, [runDir, name, String(process.pid)], {
    execArgv: [...inheritedArguments(process.execArgv), ...heap],
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (child.pid !== undefined) onStart(child.pid);
  const tell = (order: string) => {
    if (child.connected) child.send(order, () => {});
  };
  return {
    name,
    ended: watch(child, { runDir, name, onReady }),
    begin: () => tell(beginOrder),
    leave: () => tell(leaveOrder),
    kill: () => void child.kill("SIGKILL"),
  };
}

function watch(child: ChildProcess, start: ListenedStart): Promise<WorkerEnd> {
  const ear = listenToWorker(start, { stdout: child.stdout!, stderr: child.stderr! });
  const ended = new Promise<WorkerEnd>((resolve) => {
    void ear.ended.then(resolve);
    child.on("error", (cause) => {
      // Also said of a message that a child which is just ending could not take; that one ends by itself.
      if (child.pid === undefined) resolve({ kind: "failed", error: notStarted(cause) });
    });
  });
  let timer: NodeJS.Timeout | undefined;
  void ended.then(() => {
    if (child.exitCode === null && child.signalCode === null)
      timer = setTimeout(() => child.kill("SIGKILL"), exitGraceMs);
  });
  child.on("message", ear.onMessage);
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    ear.onExit({ code: code ?? undefined, signal: signal ?? undefined, atMs: Date.now() });
  });
  return ended;
}

function notStarted(cause: Error): MillraceError {
  return new MillraceError("WORKER_CRASHED", `A worker process could not be started: ${cause.message}`, {
    cause,
    hint: "Lower n_workers, or raise the limits of this user (ulimit -u, memory).",
  });
}

// What belongs to this very process and must not be repeated in its children.
const ownArguments =
  /^(-[cipe]+|--eval|--print|--interactive|--check|--inspect.*|--test.*|--watch.*|--cpu-prof.*|--heap-prof.*|--input-type)$/;
// Those of them whose value may be an argument of its own.
const withValue =
  /^(-[ipc]*e|-p|--eval|--print|--inspect-port|--test-(?!only|force|update).*|--watch-path|--(cpu|heap)-prof-.*|--input-type)$/;

/** The arguments of this Node.js that its workers need too: loaders for TypeScript, conditions, flags. */
export function inheritedArguments(execArgv: readonly string[]): string[] {
  return execArgv.filter((argument, i) => {
    const isValue = !argument.startsWith("-") && withValue.test(execArgv[i - 1] ?? "");
    return !isValue && !ownArguments.test(argument.split("=", 1)[0]!);
  });
}
