import type { Readable } from "node:stream";
import { openWorkerLog } from "../../run-folder/files/worker-log.ts";
import type { WorkerStart } from "../../worker/messages.ts";

type StreamName = "stdout" | "stderr";

/** The output of a worker. */
export interface WorkerOutput {
  /** Takes output that did not come through the streams. */
  onOutput(stream: StreamName, chunk: Uint8Array): void;
  /** The worker is gone: resolves when its last output was read. */
  whenRead(): Promise<void>;
  /** The end of its stderr. */
  lastOutput(): string;
}

const lastOutputLength = 4000;
// A program that the worker started may hold its pipes open: no output for this long counts as the end.
const silentMs = 200;
// And such a program may never stop printing. What the worker itself left in its pipes is read long before this.
const longestMs = 10_000;

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
    timer = setTimeout(resolve, longestMs);
  });
  await Promise.race([Promise.all(unread), tooLong]);
  clearTimeout(timer);
}

/** Resolves when nothing was read for a while, or after too long a time. */
async function untilSilent(chunksSoFar: () => number): Promise<void> {
  const giveUpMs = performance.now() + longestMs;
  for (let before = -1; before !== chunksSoFar() && performance.now() < giveUpMs; ) {
    before = chunksSoFar();
    await pause();
  }
}

/** Waits long enough to read what is in the pipes, even if this process was blocked meanwhile. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Timers run before reads: after a block this timer is due although nothing was read yet.
    setTimeout(() => setImmediate(() => setImmediate(resolve)), silentMs).unref();
  });
}
