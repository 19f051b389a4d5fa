import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { entryUrl } from "../shared/entry-url.ts";
import { MillraceError } from "../shared/errors.ts";
import { unpackError } from "../shared/pack-error.ts";
import { leaveOrder, type WorkerMessage, type WorkerStart } from "../worker/worker-line.ts";
import type { StartedWorker, WorkerEnd } from "./supervise.ts";

export interface ProcessOptions extends WorkerStart {
  /** Variables beside those of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly maxHeapMb: number | undefined;
}

const entry = fileURLToPath(entryUrl("worker-process"));
const lastWordsLength = 4000;
// How long a worker that has said its last word may take to end: its env may have left something open.
const exitGraceMs = 10_000;
const stderrGraceMs = 200;

/** Starts a worker in a process of its own. */
export function startProcess({ runDir, name, variables, maxHeapMb }: ProcessOptions): StartedWorker {
  const heap = maxHeapMb === undefined ? [] : [`--max-old-space-size=${maxHeapMb}`];
  const child = fork(entry, [runDir, name], {
    execArgv: [...inheritedArguments(process.execArgv), ...heap],
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  return {
    name,
    ended: watch(child),
    leave() {
      if (child.connected) child.send(leaveOrder, () => {});
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

function watch(child: ChildProcess): Promise<WorkerEnd> {
  let lastWords = "";
  let wasReady = false;
  let uncaught: string | undefined;
  child.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    lastWords = (lastWords + chunk.toString()).slice(-lastWordsLength);
  });
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (how: WorkerEnd) => {
      timer ??= setTimeout(() => child.kill("SIGKILL"), exitGraceMs);
      resolve(how);
    };
    child.on("message", (message: WorkerMessage) => {
      if (message.say === "ready") wasReady = true;
      else if (message.say === "uncaught") uncaught = message.message;
      else if (message.say === "failed") end({ kind: "failed", error: unpackError(message.error) });
      else end({ kind: message.outcome, committed: message.committed });
    });
    child.on("error", (cause) => {
      // Also said of a message that a child which is just ending could not take; that one ends by itself.
      if (child.pid === undefined) end({ kind: "failed", error: notStarted(cause) });
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      // What it wrote last may still be on its way.
      const tell = () => {
        const exit = { code: code ?? undefined, signal: signal ?? undefined, message: uncaught };
        resolve({ kind: "crashed", exit, wasReady, lastWords });
      };
      child.once("close", tell);
      setTimeout(tell, stderrGraceMs).unref();
    });
  });
}

function notStarted(cause: Error): MillraceError {
  return new MillraceError("WORKER_CRASHED", `A worker process could not be started: ${cause.message}`, {
    cause,
    hint: "Lower n_workers, or raise the limits of this user (ulimit -u, memory).",
  });
}

// What belongs to this very process and must not be repeated in its children.
const ownArguments =
  /^(-e|-p|-i|-c|--eval|--print|--interactive|--check|--inspect.*|--test.*|--watch.*|--cpu-prof.*|--heap-prof.*|--input-type.*)$/;
const withValue = ["-e", "-p", "--eval", "--print", "--watch-path"];

/** The arguments of this Node.js that its workers need too: loaders for TypeScript, conditions, flags. */
export function inheritedArguments(execArgv: readonly string[]): string[] {
  return execArgv.filter((argument, i) => {
    const before = execArgv[i - 1];
    if (before !== undefined && withValue.includes(before)) return false;
    return !ownArguments.test(argument.split("=", 1)[0]!);
  });
}
