import type { ScheduledEvent } from "./clock.ts";
import { Inbox } from "./inbox.ts";
import type { DiskChange, Machine } from "./machine.ts";
import { nodeBuiltins } from "./node-builtins.ts";
import { resolveIn } from "./posix-path.ts";
import { ProgramEnded } from "./program-ended.ts";
import { globalsOf } from "./program-globals.ts";
import { type ProgramProcess, processOf } from "./program-process.ts";

/** The programs that the library is built into. */
export type EntryName = "main" | "job-process" | "worker-process" | "worker-thread" | "heartbeat-thread";

/** How to start a program. */
export interface ProgramStart {
  readonly entry: EntryName;
  readonly host: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly parent?: Program | undefined;
  /** For a thread: its process, and its worker data. */
  readonly owner?: Program | undefined;
  readonly data?: unknown;
}

export interface ProgramEnd {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

/** The replacement of Node.js for a program. */
export interface Platform {
  readonly entry: EntryName;
  readonly builtins: Readonly<Record<string, object>>;
  readonly globals: Readonly<Record<string, unknown>>;
}

/** A process or thread on the machine: the real program, with the machine instead of Node.js. */
export class Program {
  readonly machine: Machine;
  readonly start: ProgramStart;
  readonly pid: number;
  readonly beganMs: number;
  readonly process: ProgramProcess;
  /** Messages between a thread and its parent. */
  readonly port: Inbox & { postMessage: (message: unknown) => void };
  readonly threads: Program[] = [];
  onEnd: (end: ProgramEnd) => void = () => {};
  /** Called when it ends, for the programs it has started. */
  readonly exitHandlers: (() => void)[] = [];
  /** Timers that keep it alive. */
  readonly timers: Set<object> = new Set();
  /** Receives messages to its parent. */
  tell: (message: unknown) => void = () => {};
  end: ProgramEnd | undefined;
  #isStopped = false;
  #frozen: (() => void)[] = [];
  #cwd: string;

  constructor(machine: Machine, pid: number, start: ProgramStart) {
    this.machine = machine;
    this.start = start;
    this.pid = pid;
    this.beganMs = machine.clock.nowMs;
    this.#cwd = start.cwd;
    this.process = processOf(this);
    const inbox = new Inbox((act) => this.after(0, act));
    this.port = Object.assign(inbox, { postMessage: (message: unknown) => this.tell(message) });
    start.owner?.threads.push(this);
  }

  get isAlive(): boolean {
    return this.end === undefined && (this.start.owner?.isAlive ?? true);
  }

  /** True if a signal stopped it; another signal continues it. */
  get isStopped(): boolean {
    return this.#isStopped || (this.start.owner?.isStopped ?? false);
  }

  get cwd(): string {
    return this.#cwd;
  }

  changeFolder(path: string): void {
    this.machine.disk.requireFolder(path, "chdir");
    this.#cwd = path;
  }

  path(given: string): string {
    return resolveIn(() => this.#cwd)(given.replace(/^file:\/\//, ""));
  }

  mustLive(): void {
    if (!this.isAlive) throw new ProgramEnded();
  }

  /** Changes the disk, unless the program is killed at this moment. */
  change<Answer>(change: DiskChange, act: () => Answer): Answer {
    this.mustLive();
    this.machine.onChanging(this, change);
    this.mustLive();
    const answer = act();
    this.machine.onChanged(this, change);
    return answer;
  }

  /** Runs a function later, on behalf of this program. */
  after(ms: number, act: () => void): ScheduledEvent {
    return this.machine.clock.after(
      ms,
      () => this.take(act),
      () => this.isAlive,
    );
  }

  /** Runs a function now, or after the program is continued if it is stopped. */
  take(act: () => void): void {
    if (!this.isAlive) return;
    if (this.isStopped) {
      this.#frozen.push(act);
      return;
    }
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    for (const program of [this, ...this.threads]) {
      const waiting = program.#frozen;
      program.#frozen = [];
      for (const act of waiting) program.after(0, act);
    }
  }

  /** An uncaught error. */
  fail(error: unknown): void {
    if (error instanceof ProgramEnded || !this.isAlive) return;
    if (this.process.listenerCount("uncaughtException") > 0) {
      try {
        this.process.emit("uncaughtException", error);
      } catch (again) {
        if (!(again instanceof ProgramEnded)) this.finish({ code: 1 });
      }
      return;
    }
    this.machine.onError(this, error);
    this.finish({ code: 1 });
  }

  /** Ends it, for any reason; threads end with their process. */
  finish(end: ProgramEnd): void {
    if (!this.isAlive) return;
    for (const thread of this.threads) thread.finish({ code: 1 });
    this.end = end;
    this.machine.onEnded(this, end);
    this.onEnd(end);
    for (const act of this.exitHandlers) act();
  }

  platform(): Platform {
    return { entry: this.start.entry, builtins: nodeBuiltins(this), globals: globalsOf(this) };
  }
}
