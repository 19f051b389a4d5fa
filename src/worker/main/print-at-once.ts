import { writeSync } from "node:fs";
import { errnoOf } from "../../errors/errors.ts";
import { openWorkerLog } from "../../run-folder/files/worker-log.ts";

// If the driver is blocked and the pipe is full, printing waits at most this long. Then the output is queued.
const maxBlockedMs = 2000;
// At exit queued output would be lost, so the driver gets more time.
const maxBlockedAtExitMs = 10_000;
const retryMs = 0.2;
const flushQueueEveryMs = 20;

/**
 * Writes the output of this process to its pipe before the printing call returns. Node.js itself writes to pipes later,
 * and drops the rest when the process ends: often the error message. The streams are opened when they are first used.
 */
export function printAtOnce({ runDir, name }: { readonly runDir: string; readonly name: string }): void {
  const log = openWorkerLog(runDir, name);
  for (const [key, fd] of [
    ["stdout", 1],
    ["stderr", 2],
  ] as const) {
    const property = Object.getOwnPropertyDescriptor(process, key);
    if (property?.get === undefined) continue;
    Object.defineProperty(process, key, {
      ...property,
      get() {
        Object.defineProperty(process, key, property);
        const stream = process[key];
        const pipe = openPipe(fd, (bytes) => log.write(bytes));
        Object.assign(stream, {
          _write(chunk: string | Uint8Array, encoding: BufferEncoding, done: () => void) {
            pipe.write(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
            done();
          },
          _writev: null,
        });
        return stream;
      },
    });
  }
}

interface Pipe {
  write(bytes: Uint8Array): void;
}

/** Writes to a pipe that may be full. When the driver is gone and the pipe has no reader, bytes go to `onClosed`. */
function openPipe(fd: number, onClosed: (bytes: Uint8Array) => void): Pipe {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const queue: Uint8Array[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  process.on("exit", () => flush(maxBlockedAtExitMs));
  return {
    write(bytes) {
      // While output is queued, printing does not wait.
      const maxWaitMs = queue.length === 0 ? maxBlockedMs : 0;
      queue.push(bytes);
      flush(maxWaitMs);
      if (queue.length === 0) return;
      // Copied, because the caller may reuse the memory.
      queue[queue.length - 1] = new Uint8Array(queue.at(-1)!);
      timer ??= setInterval(() => flush(0), flushQueueEveryMs).unref();
    },
  };

  /** Writes the queue. Stops when nothing could be written for `maxWaitMs`. */
  function flush(maxWaitMs: number): void {
    let until = Number.NaN;
    while (queue.length > 0) {
      const [bytes] = queue as [Uint8Array];
      const written = isClosed ? pass(bytes) : tryToWrite(bytes);
      if (written > 0 || bytes.length === 0) {
        until = Number.NaN;
        if (written === bytes.length) queue.shift();
        else queue[0] = bytes.subarray(written);
        continue;
      }
      if (Number.isNaN(until)) until = performance.now() + maxWaitMs;
      if (performance.now() >= until) return;
      Atomics.wait(sleeper, 0, 0, retryMs);
    }
    clearInterval(timer);
    timer = undefined;
  }

  /** Returns how many bytes the pipe took: 0 if it is full. */
  function tryToWrite(bytes: Uint8Array): number {
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") return 0;
      isClosed = true;
      return 0;
    }
  }

  function pass(bytes: Uint8Array): number {
    onClosed(bytes);
    return bytes.length;
  }
}
