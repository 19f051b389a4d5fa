import { openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { crc32 } from "node:zlib";
import type { ScannedChunk } from "./line-collector.ts";
import { type BlankLines, scanChunk } from "./scan-chunk.ts";

/** A part of the file that a thread is asked to scan. */
export interface ScanRequest {
  readonly offset: number;
  readonly length: number;
}

export type ScanAnswer = ScannedChunk | { readonly problem: string };

/** What a thread is started with. */
export interface ScanThreadData {
  readonly path: string;
  readonly blank: BlankLines;
}

const { path, blank } = workerData as ScanThreadData;
const fd = openSync(path, "r");
let buffer = Buffer.allocUnsafeSlow(0);

parentPort?.on("message", ({ offset, length }: ScanRequest) => {
  if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
  const bytes = buffer.subarray(0, length);
  for (let done = 0; done < length; ) {
    const read = readSync(fd, bytes, done, length - done, offset + done);
    if (read === 0) {
      answer({ problem: `it ends at ${offset + done}, before its size` });
      return;
    }
    done += read;
  }
  const lines = scanChunk(bytes, blank);
  parentPort?.postMessage({ bytes: length, crc: crc32(bytes), lines } satisfies ScanAnswer, [
    lines.starts.buffer as ArrayBuffer,
  ]);
});

function answer(message: ScanAnswer): void {
  parentPort?.postMessage(message);
}
