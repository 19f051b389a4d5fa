import { bufferGlobal } from "./byte-buffer.ts";
import { Emitter, PipeEnd } from "./emitter.ts";
import type { ChannelEnd } from "./machine.ts";
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
      this.thread.tell = (message) => program.after(messageMs, () => this.emit("message", clone(message)));
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
      this.thread.after(messageMs, () => this.thread.port.emit("message", clone(message)));
    }

    // Not async: whoever is dead goes no further than this, also where nobody waits for the thread's end.
    terminate(): Promise<void> {
      program.mustLive();
      this.thread.finish({ code: 1 });
      return Promise.resolve();
    }

    unref(): void {}
  }

  class BroadcastChannel {
    onmessage: ChannelEnd["onmessage"];
    readonly #peers: Set<ChannelEnd>;

    constructor(name: string) {
      const key = `${process.pid} ${name}`;
      this.#peers = machine.channels.get(key) ?? new Set();
      machine.channels.set(key, this.#peers.add(this));
    }

    postMessage(data: unknown): void {
      for (const peer of this.#peers) if (peer !== this) process.after(messageMs, () => peer.onmessage?.({ data }));
    }

    close(): void {
      this.#peers.delete(this);
    }

    unref(): void {}
  }

  return {
    Worker,
    BroadcastChannel,
    isMainThread: start.owner === undefined,
    parentPort: start.owner === undefined ? null : program.port,
    workerData: start.data ?? null,
  };
}

/** A message as it arrives: a copy of what was sent. */
export function clone(message: unknown): unknown {
  return message === undefined ? undefined : (JSON.parse(JSON.stringify(message)) as unknown);
}
