import type { Readable } from "node:stream";
import { openWorkerLog } from "../store/worker-log.ts";
import type { WorkerStart } from "../worker/worker-line.ts";

type StreamName = "stdout" | "stderr";

/** What a worker prints. */
export interface WorkerOutput {
  /** Takes what came another way than through the streams. */
  onOutput(stream: StreamName, chunk: Uint8Array): void;
  /** The worker is gone: answers when what it printed last was read. */
  whenRead(): Promise<void>;
  /** The end of its stderr. */
  lastWords(): string;
}

const lastWordsLength = 4000;
// A program that the worker started may hold its pipes open for ever: silence of this length is the end.
const silentMs = 200;
// And such a program may never be silent. What the worker itself left in its pipes is read long before this.
const longestMs = 10_000;

const unread = new Set<Promise<void>>();

/** Shows what a worker prints on this process's own streams and keeps it in the worker's log. */
export function takeOutput(
  { runDir, name }: WorkerStart,
  streams: { readonly [Name in StreamName]: Readable },
): WorkerOutput {
  const log = openWorkerLog(runDir, name);
  const decoder = new TextDecoder();
  let lastWords = "";
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
    if (stream === "stderr") lastWords = (lastWords + decoder.decode(chunk, { stream: true })).slice(-lastWordsLength);
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
    lastWords: () => lastWords,
    whenRead() {
      if (openStreams > 0) void untilSilent(() => chunks).then(onRead);
      return read;
    },
  };
}

/** Answers when all that the workers of this process have printed was read. */
export async function whenOutputRead(): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestMs);
  });
  await Promise.race([Promise.all(unread), tooLong]);
  clearTimeout(timer);
}

/** Answers when nothing was read for a while, or when that has taken too long. */
async function untilSilent(chunksSoFar: () => number): Promise<void> {
  const giveUpMs = performance.now() + longestMs;
  for (let before = -1; before !== chunksSoFar() && performance.now() < giveUpMs; ) {
    before = chunksSoFar();
    await pause();
  }
}

/** A while in which what is there to be read is read, also where this process was blocked meanwhile. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Timers come before reading: after a block this one is due although nothing could be read.
    setTimeout(() => setImmediate(() => setImmediate(resolve)), silentMs).unref();
  });
}
