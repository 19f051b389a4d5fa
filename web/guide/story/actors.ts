import type { Program } from "../machine/program.ts";
import type { RunEvent } from "./classify-change.ts";
import type { ActorView } from "./story.ts";

/** The state of a program in the story. */
export class Actor {
  readonly program: Program;
  readonly name: string;
  /** Its number among the workers, from 1; 0 for drivers and jobs. */
  readonly ordinal: number;
  state = "starts";
  hasEnv = false;
  unit: number | "merge" | undefined;
  attempt = 0;
  /** True if forward was called in this attempt. */
  hasBegun = false;
  inWork: readonly number[] = [];
  inMemory: number[] = [];

  constructor(program: Program, name: string, ordinal: number) {
    this.program = program;
    this.name = name;
    this.ordinal = ordinal;
  }

  holds(unit: number | "merge", attempt: number): boolean {
    return this.unit === unit && this.attempt === attempt;
  }

  release(): void {
    Object.assign(this, { unit: undefined, attempt: 0, inWork: [], inMemory: [] });
  }

  /** Derives its activity from its changes to the run folder. */
  follow(event: RunEvent): void {
    switch (event.is) {
      case "manifest":
        this.state = "has planned the run";
        break;
      case "claim":
        Object.assign(this, { unit: event.unit, attempt: event.attempt, hasBegun: false, inWork: [], inMemory: [] });
        this.state = event.unit === "merge" ? "merges" : `works on shard ${event.unit}`;
        break;
      case "records":
        this.inMemory = [];
        break;
      case "commit":
        this.release();
        this.state = "looks for a shard";
        break;
      case "drop":
        if (!this.holds(event.unit, event.attempt)) break;
        this.state = event.unit === "merge" ? "has merged the run" : "looks for a shard";
        this.release();
        break;
    }
  }

  view(): ActorView {
    const { program } = this;
    const { isAlive } = program;
    return {
      id: program.pid,
      name: this.name,
      host: program.start.host,
      pid: program.process.pid,
      state: isAlive ? (program.isStopped ? "is stopped" : this.state) : this.state,
      isAlive,
      isPaused: program.isStopped,
      isWorker: this.ordinal > 0,
      hasEnv: isAlive && this.hasEnv,
      holds:
        this.unit === undefined
          ? undefined
          : this.unit === "merge"
            ? "the merge"
            : `shard ${this.unit}, attempt ${this.attempt}`,
      inWork: isAlive ? this.inWork : [],
      inMemory: isAlive ? this.inMemory : [],
    };
  }
}

/** The programs of a story that are shown: a heartbeat is part of its worker. */
export class Cast {
  readonly #actors = new Map<number, Actor>();
  #workers = 0;
  #drivers = 0;
  #jobs = 0;
  #workersSinceStart = 0;

  /** The number of workers started since the script was started. */
  get workersSinceStart(): number {
    return this.#workersSinceStart;
  }

  enter(program: Program, isOneWorker: boolean): Actor | undefined {
    const { entry } = program.start;
    if (entry === "heartbeat-thread") return undefined;
    const isDriver = entry === "main";
    const isWorker = entry.startsWith("worker-") || (isDriver && isOneWorker);
    if (isWorker) this.#workers++;
    this.#workersSinceStart = isDriver ? 0 : this.#workersSinceStart + (isWorker ? 1 : 0);
    const name = isDriver
      ? `the driver${++this.#drivers > 1 ? ` (start ${this.#drivers})` : ""}`
      : isWorker
        ? `worker ${this.#workers}`
        : `job ${++this.#jobs}`;
    const actor = new Actor(program, name, isWorker ? this.#workers : 0);
    this.#actors.set(program.pid, actor);
    return actor;
  }

  /** The actor of a program: for a heartbeat, its worker. */
  of(program: Program): Actor | undefined {
    return this.#actors.get(program.pid);
  }

  holderOf(unit: number | "merge", attempt: number): Actor | undefined {
    return [...this.#actors.values()].find((actor) => actor.holds(unit, attempt));
  }

  views(): ActorView[] {
    return [...this.#actors.values()].map((actor) => actor.view());
  }
}
