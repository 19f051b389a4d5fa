import type { Program } from "../machine/program.ts";
import type { Deed } from "./classify-change.ts";
import type { ActorView } from "./story.ts";

/** What is known of a program while the story goes on. */
export class Actor {
  readonly program: Program;
  readonly name: string;
  /** Its place among the workers, from 1; 0 for drivers and jobs. */
  readonly ordinal: number;
  state = "starts";
  hasEnv = false;
  unit: number | "merge" | undefined;
  epoch = 0;
  /** Whether forward was called in this attempt. */
  hasBegun = false;
  inWork: readonly number[] = [];
  inMemory: number[] = [];

  constructor(program: Program, name: string, ordinal: number) {
    this.program = program;
    this.name = name;
    this.ordinal = ordinal;
  }

  holds(unit: number | "merge", epoch: number): boolean {
    return this.unit === unit && this.epoch === epoch;
  }

  letGo(): void {
    Object.assign(this, { unit: undefined, epoch: 0, inWork: [], inMemory: [] });
  }

  /** What it has done to the run folder tells what it is at. */
  follow(deed: Deed): void {
    switch (deed.is) {
      case "manifest":
        this.state = "has planned the run";
        break;
      case "claim":
        Object.assign(this, { unit: deed.unit, epoch: deed.epoch, hasBegun: false, inWork: [], inMemory: [] });
        this.state = deed.unit === "merge" ? "merges" : `works on shard ${deed.unit}`;
        break;
      case "records":
        this.inMemory = [];
        break;
      case "commit":
        this.letGo();
        this.state = "looks for a shard";
        break;
      case "drop":
        if (!this.holds(deed.unit, deed.epoch)) break;
        this.state = deed.unit === "merge" ? "has merged the run" : "looks for a shard";
        this.letGo();
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
            : `shard ${this.unit}, attempt ${this.epoch}`,
      inWork: isAlive ? this.inWork : [],
      inMemory: isAlive ? this.inMemory : [],
    };
  }
}

/** The programs of a story that a reader is told of: a heartbeat is part of its worker. */
export class Cast {
  readonly #actors = new Map<number, Actor>();
  #workers = 0;
  #drivers = 0;
  #jobs = 0;
  #workersSinceStart = 0;

  /** How many workers were started since the script was. */
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

  /** Whose program it is: of a heartbeat, its worker. */
  of(program: Program): Actor | undefined {
    return this.#actors.get(program.pid);
  }

  holderOf(unit: number | "merge", epoch: number): Actor | undefined {
    return [...this.#actors.values()].find((actor) => actor.holds(unit, epoch));
  }

  views(): ActorView[] {
    return [...this.#actors.values()].map((actor) => actor.view());
  }
}
