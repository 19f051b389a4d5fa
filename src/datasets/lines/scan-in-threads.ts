import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { entryUrl } from "../../runtime/entry-url.ts";
import type { ScannedChunk } from "./line-collector.ts";
import type { ScanAnswer, ScanRequest, ScanThreadData } from "./scan-thread.ts";

const partBytes = 8 * 2 ** 20;
// Below this a file is scanned before threads have started.
const minBytes = 64 * 2 ** 20;
const maxThreads = 8;

/** The number of threads for a file of this size; 0 if it is scanned here. */
export function scanThreads(sizeBytes: number): number {
  if (sizeBytes < minBytes || !existsSync(fileURLToPath(entryUrl("dataset-scan-thread.cjs")))) return 0;
  const threads = Math.min(maxThreads, availableParallelism());
  return threads > 1 ? threads : 0;
}

/** Scans a local file with several threads; its parts come in order, at most two for each thread are held. */
export async function* scanInThreads(data: ScanThreadData, from: number, size: number): AsyncGenerator<ScannedChunk> {
  const threads = Array.from({ length: scanThreads(size) }, () => startThread(data));
  try {
    const waiting: Promise<ScannedChunk>[] = [];
    let next = from;
    const ask = () => {
      if (next >= size) return;
      const thread = threads[Math.floor((next - from) / partBytes) % threads.length]!;
      const answer = thread.scan({ offset: next, length: Math.min(partBytes, size - next) });
      answer.catch(() => {});
      waiting.push(answer);
      next += partBytes;
    };
    for (let i = 0; i < 2 * threads.length; i++) ask();
    while (waiting.length > 0) {
      const part = await waiting.shift()!;
      ask();
      yield part;
    }
  } finally {
    await Promise.all(threads.map(({ end }) => end()));
  }
}

interface ScanThread {
  scan(request: ScanRequest): Promise<ScannedChunk>;
  end(): Promise<unknown>;
}

/** A thread answers in the order in which it is asked. */
function startThread(data: ScanThreadData): ScanThread {
  const worker = new Worker(entryUrl("dataset-scan-thread.cjs"), { workerData: data, execArgv: [] });
  const waiting: { resolve: (part: ScannedChunk) => void; reject: (error: Error) => void }[] = [];
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on("message", (answer: ScanAnswer) => {
    const asked = waiting.shift();
    if ("problem" in answer) asked?.reject(new Error(answer.problem));
    else asked?.resolve(answer);
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("a thread that scans a file has ended")));
  return {
    scan: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker.postMessage(request);
      }),
    end: () => worker.terminate(),
  };
}
