import type { Readable } from "node:stream";
import { openWorkerLog } from "../../run-folder/files/worker-log.ts";
import type { WorkerStart } from "../../worker/messages.ts";

type StreamName = "stdout" | "stderr";

/** The output of a worker. */
export interface WorkerOutput {
  /** Adds output that did not come through the streams. */
  onOutput(stream: StreamName, chunk: Uint8Array): void;
  /** Called after the exit of the worker. Resolves when its last output was read. */
  whenRead(): Promise<void>;
  /** The end of its stderr. */
  lastOutput(): string;
}

const lastOutputLength = 4000;
// A program that the worker has started may hold its pipes open. After this long without output they count as closed.
const silentMs = 200;
// Such a program may never stop printing. The output of the worker itself is read long before this.
const maxMs = 10_000;

const unread = new Set<Promise<void>>();

/** Prints the output of a worker on this process's streams and writes it to the worker's log. */
export function takeOutput(
  { runDir, name }: WorkerStart,
  streams: { readonly [Name in StreamName]: Readable },
): WorkerOutput {
  const log = openWorkerLog(runDir, name);
  const decoder = new TextDecoder();
  let lastOutput = "";
  let openStreams = 2;
  let chunks = 0;
  let onRead = () => {};
  const read = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  const onOutput = (stream: StreamName, chunk: Uint8Array) => {
    chunks++;
    process[stream].write(chunk);
    log.write(chunk);
    if (stream === "stderr")
      lastOutput = (lastOutput + decoder.decode(chunk, { stream: true })).slice(-lastOutputLength);
  };
  for (const stream of ["stdout", "stderr"] as const) {
    streams[stream].on("data", (chunk: Buffer) => onOutput(stream, chunk));
    streams[stream].once("close", () => {
      if (--openStreams > 0) return;
      log.close();
      onRead();
    });
  }
  unread.add(read);
  void read.then(() => unread.delete(read));
  return {
    onOutput,
    lastOutput: () => lastOutput,
    whenRead() {
      if (openStreams > 0) void untilSilent(() => chunks).then(onRead);
      return read;
    },
  };
}

/** Resolves when all output of the workers of this process was read. */
export async function whenOutputRead(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxMs);
  });
  await Promise.race([Promise.all(unread), tooLong]);
  clearTimeout(timer);
}

/** Resolves when nothing was read for `silentMs`, or after `maxMs`. */
async function untilSilent(chunksSoFar: () => number): Promise<void> {
  const untilMs = performance.now() + maxMs;
  for (let before = -1; before !== chunksSoFar() && performance.now() < untilMs; ) {
    before = chunksSoFar();
    await pause();
  }
}

/** Waits long enough to read the rest of the pipes, even if this process was blocked in the meantime. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Timers run before reads: after a block this timer fires although nothing was read yet.
    setTimeout(() => setImmediate(() => setImmediate(resolve)), silentMs).unref();
  });
}
