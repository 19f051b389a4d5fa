import { bufferGlobal } from "./byte-buffer.ts";
import { Emitter, PipeEnd } from "./emitter.ts";
import { basename } from "./posix-path.ts";
import type { EntryName, Program } from "./program.ts";

const messageMs = 1;

/** `node:worker_threads` of a program on the machine. */
export function nodeWorkerThreads(program: Program): object {
  const { machine, start } = program;
  const process = start.owner ?? program;

  class Worker extends Emitter {
    readonly stdout = new PipeEnd();
    readonly stderr = new PipeEnd();
    readonly thread: Program;

    constructor(url: URL, { workerData }: { readonly workerData: unknown }) {
      super();
      this.thread = machine.start({
        entry: basename(url.pathname).replace(/\.c?js$/, "") as EntryName,
        host: start.host,
        cwd: program.cwd,
        env: program.process.env,
        owner: process,
        parent: start.parent,
        data: workerData,
      });
      this.thread.tell = (message) => program.after(messageMs, () => this.emit("message", handOver(message)));
      this.thread.process.stderr.onWrite = (chunk) => {
        const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
        program.after(messageMs, () => this.stderr.emit("data", bufferGlobal.from(text)));
      };
      this.thread.onEnd = ({ code }) =>
        program.after(messageMs, () => {
          for (const stream of [this.stdout, this.stderr]) stream.emit("close");
          this.emit("exit", code ?? 1);
        });
    }

    postMessage(message: unknown): void {
      program.mustLive();
      this.thread.after(messageMs, () => this.thread.port.deliver(handOver(message)));
    }

    // Not async: an ended program must stop here, even if no caller awaits the end of the thread.
    terminate(): Promise<void> {
      program.mustLive();
      this.thread.finish({ code: 1 });
      return Promise.resolve();
    }

    unref(): void {}
  }

  return {
    Worker,
    isMainThread: start.owner === undefined,
    parentPort: start.owner === undefined ? null : program.port,
    workerData: start.data ?? null,
  };
}

/** A message between threads: a copy of what was sent, in which shared memory is the same. */
function handOver(message: unknown): unknown {
  if (typeof message !== "object" || message === null || ArrayBuffer.isView(message)) return message;
  if (Array.isArray(message)) return message.map(handOver);
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [key, handOver(value)]));
}
