import { writeSync } from "node:fs";
import { errnoOf } from "../../errors/errors.ts";
import { openWorkerLog } from "../../run-folder/files/worker-log.ts";

// While the driver is blocked and the pipe is full, printing waits at most this long; then the output is queued.
const blockedMs = 2000;
// At the exit the queued output would be lost, so the driver gets more time.
const exitBlockedMs = 10_000;
const tryAgainMs = 0.2;
const laterMs = 20;

/**
 * Writes what this process prints to its pipe before the printing call returns. Node.js writes to pipes later, and
 * drops the rest when the process ends, which is often the error itself. The streams are opened when they are first
 * used.
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

/** Writes to a pipe that may be full. Once the driver is gone and the pipe has no reader, bytes go to `onGone`. */
function openPipe(fd: number, onGone: (bytes: Uint8Array) => void): Pipe {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const queue: Uint8Array[] = [];
  let isGone = false;
  let timer: NodeJS.Timeout | undefined;
  process.on("exit", () => flush(exitBlockedMs));
  return {
    write(bytes) {
      // While output is queued, printing does not wait.
      const patienceMs = queue.length === 0 ? blockedMs : 0;
      queue.push(bytes);
      flush(patienceMs);
      if (queue.length === 0) return;
      // The caller may reuse the memory, so it is copied.
      queue[queue.length - 1] = new Uint8Array(queue.at(-1)!);
      timer ??= setInterval(() => flush(0), laterMs).unref();
    },
  };

  /** Writes the queue; gives up when nothing could be written for `patienceMs`. */
  function flush(patienceMs: number): void {
    let until = Number.NaN;
    while (queue.length > 0) {
      const [bytes] = queue as [Uint8Array];
      const written = isGone ? pass(bytes) : tryToWrite(bytes);
      if (written > 0 || bytes.length === 0) {
        until = Number.NaN;
        if (written === bytes.length) queue.shift();
        else queue[0] = bytes.subarray(written);
        continue;
      }
      if (Number.isNaN(until)) until = performance.now() + patienceMs;
      if (performance.now() >= until) return;
      Atomics.wait(sleeper, 0, 0, tryAgainMs);
    }
    clearInterval(timer);
    timer = undefined;
  }

  /** How many bytes the pipe took; none where it is full. */
  function tryToWrite(bytes: Uint8Array): number {
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") return 0;
      isGone = true;
      return 0;
    }
  }

  function pass(bytes: Uint8Array): number {
    onGone(bytes);
    return bytes.length;
  }
}
