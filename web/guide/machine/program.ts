import { ByteBuffer, bufferGlobal } from "./byte-buffer.ts";
import type { Appointment } from "./clock.ts";
import { Emitter, PipeEnd } from "./emitter.ts";
import type { DiskChange, Machine } from "./machine.ts";
import { nodeBuiltins } from "./node-builtins.ts";
import { resolveIn } from "./posix-path.ts";

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

/** Thrown wherever a program that has ended asks for anything: nothing of it is to go on. */
export class ProgramEnded extends Error {}

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
  readonly process: ReturnType<typeof processOf>;
  /** What comes and goes between a thread and whoever started it. */
  readonly port: Emitter & { postMessage: (message: unknown) => void };
  readonly threads: Program[] = [];
  onEnd: (end: ProgramEnd) => void = () => {};
  /** Done when it ends, for those it has started. */
  readonly lastActs: (() => void)[] = [];
  /** Timers that keep it alive. */
  readonly timers = new Set<object>();
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
    this.port = Object.assign(new Emitter(), { postMessage: (message: unknown) => this.tell(message) });
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

function globalsOf(program: Program): Record<string, unknown> {
  const { machine } = program;
  /** A timer of Node.js: it keeps its program alive until it is over, cancelled or let go of. */
  const startTimer = (act: () => void, { ms, isRepeated = false }: { ms: number; isRepeated?: boolean }) => {
    let current: Appointment;
    const plan = () => {
      current = program.after(ms, () => {
        if (isRepeated) plan();
        else program.timers.delete(timer);
        act();
      });
    };
    const timer = {
      ref: () => timer,
      unref() {
        program.timers.delete(timer);
        return timer;
      },
      cancel() {
        program.timers.delete(timer);
        current.cancel();
      },
    };
    program.timers.add(timer);
    plan();
    return timer;
  };
  const clear = (timer: ReturnType<typeof startTimer> | undefined) => timer?.cancel();
  return {
    process: program.process,
    Buffer: bufferGlobal,
    setTimeout: (act: () => void, ms = 0) => startTimer(act, { ms: Math.max(1, ms) }),
    clearTimeout: clear,
    setInterval: (act: () => void, ms: number) => startTimer(act, { ms, isRepeated: true }),
    clearInterval: clear,
    setImmediate: (act: () => void) => startTimer(act, { ms: 0 }),
    clearImmediate: clear,
    performance: { now: () => machine.clock.nowMs - program.beganMs },
    Date: machine.date,
    Math: machine.math,
    // Threads of the machine share one memory anyway; a page may have the real one only under special headers.
    SharedArrayBuffer: ArrayBuffer,
    console: { log: (text: string) => program.process.stdout.write(`${text}\n`) },
    globalThis: { guide: machine.guideOf(program) },
  };
}

function processOf(program: Program) {
  const { machine, start } = program;
  const emitter = new Emitter();
  const early: unknown[] = [];
  const leave = (code?: number): never => {
    program.finish({ code: code ?? own.exitCode ?? 0 });
    throw new ProgramEnded();
  };
  const stream = (name: "stdout" | "stderr") => {
    const pipe = new PipeEnd();
    pipe.onWrite = (chunk) => machine.onOutput(program, name, textOf(chunk));
    return Object.assign(pipe, { isTTY: false });
  };
  const own = {
    pid: program.start.owner?.pid ?? program.pid,
    get ppid() {
      return start.parent?.isAlive === true ? start.parent.pid : 1;
    },
    argv: ["/usr/bin/node", `/usr/lib/node_modules/millrace/dist/${start.entry}.js`, ...(start.args ?? [])],
    execArgv: [] as string[],
    execPath: "/usr/bin/node",
    env: { ...start.env } as Record<string, string | undefined>,
    platform: "linux",
    version: "v22.18.0",
    versions: { node: "22.18.0" },
    features: { typescript: "strip" },
    exitCode: undefined as number | undefined,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    stdin: new PipeEnd(),
    connected: start.parent !== undefined,
    memoryUsage: Object.assign(() => ({ rss: 1 << 26 }), { rss: () => 1 << 26 }),
    cwd: () => program.cwd,
    chdir: (path: string) => program.changeFolder(path),
    uptime: () => (machine.clock.nowMs - program.beganMs) / 1000,
    exit: leave,
    kill: (pid: number, signal: string | number) => machine.signal(pid, signal, program),
    send: (message: unknown) => program.tell(message),
    getBuiltinModule: (name: string) => nodeBuiltins(program)[name],
    on(event: string, listener: (...values: never[]) => unknown) {
      emitter.on(event, listener);
      // What came before anyone listened is kept.
      if (event === "message") for (const message of early.splice(0)) program.after(0, () => emitter.emit(event, message));
      return own;
    },
    off(event: string, listener: (...values: never[]) => unknown) {
      emitter.off(event, listener);
      return own;
    },
    listenerCount: (event: string) => emitter.listenerCount(event),
    emit: (event: string, ...values: readonly unknown[]) => emitter.emit(event, ...values),
    hear(message: unknown) {
      if (!emitter.emit("message", message)) early.push(message);
    },
  };
  return own;
}

function textOf(chunk: Uint8Array | string): string {
  return typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
}

/** Bytes as a program's output hands them over. */
export function outputBytes(text: string): ByteBuffer {
  return bufferGlobal.from(text);
}
