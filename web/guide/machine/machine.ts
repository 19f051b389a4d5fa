import { Clock } from "./clock.ts";
import { Disk, DiskError } from "./disk.ts";
import { type Platform, Program, type ProgramEnd, type ProgramStart } from "./program.ts";
import { ProgramEnded } from "./program-ended.ts";

/** A change of the disk by a program. */
export type DiskChange =
  | { readonly do: "make" | "remove"; readonly path: string }
  | { readonly do: "write"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly do: "move" | "link"; readonly path: string; readonly to: string };

/** Observes the machine while it runs. */
export interface Observer {
  /** Before a change: a program may be killed or stopped here, and then the change is not made. */
  onChanging?(program: Program, change: DiskChange): void;
  onChanged?(program: Program, change: DiskChange): void;
  onStarted?(program: Program): void;
  onEnded?(program: Program, end: ProgramEnd): void;
  onOutput?(program: Program, stream: "stdout" | "stderr", text: string): void;
  onError?(program: Program, error: unknown): void;
  /** Reports of the example's model: which items it gets, and when it has finished them. */
  onModel?(program: Program, moment: ModelMoment): void;
}

export type ModelMoment =
  | { readonly is: "building" | "built" }
  | { readonly is: "called" | "answered" | "failed"; readonly items: readonly number[] };

export interface MachineOptions {
  /** Runs the program of a platform: the library, built as one function. */
  readonly boot: (platform: Platform) => Promise<void>;
  /** Libraries that programs `require`. */
  readonly modules: Readonly<Record<string, unknown>>;
  readonly observer: Observer;
}

// The date on which every story begins.
export const epochMs: number = Date.UTC(2026, 0, 5, 9);
// About the start time of Node.js.
const startMs = { process: 40, thread: 15 };
const maxSteps = 400_000;

/** A machine (or several with one file system) in memory, on which the real programs of the library run. */
export class Machine {
  readonly clock: Clock = new Clock();
  readonly disk: Disk = new Disk(() => epochMs + this.clock.nowMs);
  readonly options: MachineOptions;
  readonly programs: Map<number, Program> = new Map();
  readonly math: Math;
  readonly date: DateConstructor;
  #nextPid = 4000;

  constructor(options: MachineOptions) {
    this.options = options;
    this.math = Object.assign(Object.create(Math) as Math, { random: seededRandom() });
    this.date = dateOf(() => epochMs + this.clock.nowMs);
  }

  start(start: ProgramStart): Program {
    const program = new Program(this, this.#nextPid++, start);
    this.programs.set(program.pid, program);
    this.options.observer.onStarted?.(program);
    program.after(start.owner === undefined ? startMs.process : startMs.thread, () => {
      this.options
        .boot(program.platform())
        .then(() => {
          // The heartbeat thread lives as long as its timer.
          if (start.entry !== "heartbeat-thread")
            program.take(() => program.finish({ code: program.process.exitCode ?? 0 }));
        })
        .catch((error: unknown) => program.fail(error));
    });
    return program;
  }

  /** Runs until no event is left. */
  async run(): Promise<void> {
    const breather = openPromiseYield();
    for (let steps = 0; steps < maxSteps && this.clock.step(); steps++) await breather.breathe();
    breather.close();
  }

  /** A signal from one program to another, for the signals that the library sends. */
  signal(pid: number, signal: string | number, from?: Program): true {
    from?.mustLive();
    const program = this.programs.get(pid);
    if (program === undefined || !program.isAlive || (from !== undefined && from.start.host !== program.start.host))
      throw new DiskError("ESRCH", "kill", String(pid));
    if (signal === 0) return true;
    if (signal !== "SIGKILL" && program.process.listenerCount(String(signal)) > 0)
      program.after(1, () => program.process.emit(String(signal), signal));
    else program.finish({ signal: String(signal) });
    if (from === program) throw new ProgramEnded();
    return true;
  }

  /** Information about a host and its processes. */
  readProc(path: string, { start: { host } }: Program): string | undefined {
    if (path === "/proc/sys/kernel/random/boot_id") return `boot-of-${host}`;
    if (path === "/proc/self/ns/pid") return "pid:[4026531836]";
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]);
    const program = this.programs.get(pid);
    if (program === undefined || !program.isAlive || program.start.host !== host) return undefined;
    return `${pid} (node) ${program.isStopped ? "T" : "S"}${" 0".repeat(18)} ${Math.round(program.beganMs)} 0`;
  }

  guideOf(program: Program): { tell(moment: ModelMoment): void } {
    return {
      tell: (moment) => {
        program.mustLive();
        this.options.observer.onModel?.(program, moment);
        program.mustLive();
      },
    };
  }

  onChanging(program: Program, change: DiskChange): void {
    this.options.observer.onChanging?.(program, change);
  }

  onChanged(program: Program, change: DiskChange): void {
    this.options.observer.onChanged?.(program, change);
  }

  onEnded(program: Program, end: ProgramEnd): void {
    this.options.observer.onEnded?.(program, end);
  }

  onOutput(program: Program, stream: "stdout" | "stderr", text: string): void {
    this.options.observer.onOutput?.(program, stream, text);
  }

  onError(program: Program, error: unknown): void {
    this.options.observer.onError?.(program, error);
  }
}

/** Lets all settled promises run, without the delay of browser timers. */
function openPromiseYield(): { breathe(): Promise<void>; close(): void } {
  const { port1, port2 } = new MessageChannel();
  let wake = () => {};
  // Browsers and Node.js both have it, but Node's types do not declare it.
  (port1 as unknown as { onmessage: () => void }).onmessage = () => wake();
  return {
    breathe: () =>
      new Promise((resolve) => {
        wake = resolve;
        port2.postMessage(undefined);
      }),
    close: () => port1.close(),
  };
}

/** The same numbers each time (mulberry32). */
function seededRandom(): () => number {
  let state = 20_260_105;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function dateOf(now: () => number): DateConstructor {
  return class extends Date {
    constructor(...given: readonly [] | readonly [number | string]) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }

    static override now(): number {
      return now();
    }
  } as unknown as DateConstructor;
}
