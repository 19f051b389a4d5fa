import type { Appointment } from "./clock.ts";
import { Inbox } from "./inbox.ts";
import type { DiskChange, Machine } from "./machine.ts";
import { nodeBuiltins } from "./node-builtins.ts";
import { resolveIn } from "./posix-path.ts";
import { ProgramEnded } from "./program-ended.ts";
import { globalsOf } from "./program-globals.ts";
import { type ProgramProcess, processOf } from "./program-process.ts";

/** The programs that the library is built into. */
export type EntryName = "main" | "job-process" | "worker-process" | "worker-thread" | "heartbeat-thread";

/** How a program is started. */
export interface ProgramStart {
  readonly entry: EntryName;
  readonly host: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly parent?: Program | undefined;
  /** For a thread: the process it is part of, and what it is handed. */
  readonly owner?: Program | undefined;
  readonly data?: unknown;
}

export interface ProgramEnd {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

/** What a program finds instead of Node.js. */
export interface Platform {
  readonly entry: EntryName;
  readonly builtins: Readonly<Record<string, object>>;
  readonly globals: Readonly<Record<string, unknown>>;
}

/** A process or a thread on the machine: the real program, with the machine in the place of Node.js. */
export class Program {
  readonly machine: Machine;
  readonly start: ProgramStart;
  readonly pid: number;
  readonly beganMs: number;
  readonly process: ProgramProcess;
  /** What comes and goes between a thread and whoever started it. */
  readonly port: Inbox & { postMessage: (message: unknown) => void };
  readonly threads: Program[] = [];
  onEnd: (end: ProgramEnd) => void = () => {};
  /** Done when it ends, for those it has started. */
  readonly lastActs: (() => void)[] = [];
  /** Timers that keep it alive. */
  readonly timers: Set<object> = new Set();
  /** Where messages to whoever started it go. */
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

  /** Whether it was stopped by a signal and goes on when it gets another. */
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

  /** Changes the disk, unless someone ends the program at this very moment. */
  change<Answer>(change: DiskChange, act: () => Answer): Answer {
    this.mustLive();
    this.machine.onChanging(this, change);
    this.mustLive();
    const answer = act();
    this.machine.onChanged(this, change);
    return answer;
  }

  /** Does something later, in the name of this program. */
  after(ms: number, act: () => void): Appointment {
    return this.machine.clock.after(
      ms,
      () => this.take(act),
      () => this.isAlive,
    );
  }

  /** Its turn: does something now, or, while it is stopped, when it goes on. */
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

  /** An error that nobody caught. */
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

  /** Its end, for whatever reason; threads end with their process. */
  finish(end: ProgramEnd): void {
    if (!this.isAlive) return;
    for (const thread of this.threads) thread.finish({ code: 1 });
    this.end = end;
    this.machine.onEnded(this, end);
    this.onEnd(end);
    for (const act of this.lastActs) act();
  }

  platform(): Platform {
    return { entry: this.start.entry, builtins: nodeBuiltins(this), globals: globalsOf(this) };
  }
}
