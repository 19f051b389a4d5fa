import type { Done, ShardCounts } from "../../../src/run-folder/shard/done.ts";
import type { DiskChange, Machine, ModelMoment, Observer } from "../machine/machine.ts";
import type { Program, ProgramEnd } from "../machine/program.ts";
import { type Actor, Cast } from "./actors.ts";
import { classifyChange, type RunEvent } from "./classify-change.ts";
import { capital, describeEvent } from "./describe-event.ts";
import { runDir } from "./example-files.ts";
import { isDriver, openFaults } from "./faults.ts";
import { type Occasion, remarks } from "./narration.ts";
import type { Settings } from "./settings.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { Step, Story } from "./story.ts";

// A stopped worker continues a little after its shard was taken over, or after this time if it is not.
const wakeAfterMs = 60;
const maxPauseMs = 20_000;

/** Observes the programs, injects the selected faults, and records each step. */
export class StoryRecorder implements Observer {
  readonly steps: Step[] = [];
  readonly output: Story["output"][number][] = [];
  /** How the last driver ended. */
  lastEnd: ProgramEnd | undefined;
  lastError: unknown;
  readonly #settings: Settings;
  readonly #cast = new Cast();
  readonly #faults: ReturnType<typeof openFaults>;
  readonly #machine: () => Machine;
  #driver: Program | undefined;
  #paused: Actor | undefined;

  constructor(settings: Settings, machine: () => Machine) {
    this.#settings = settings;
    this.#faults = openFaults(settings);
    this.#machine = machine;
  }

  /** Records an event outside of every program: a file is corrected. */
  tell(occasion: Occasion, title: string): void {
    this.#add(undefined, occasion, title);
  }

  onStarted(program: Program): void {
    const actor = this.#cast.enter(program, this.#settings.env === "local");
    if (actor === undefined) return;
    if (isDriver(program)) {
      const isFirst = this.#driver === undefined;
      this.#driver = program;
      this.#add(actor, isFirst ? "start" : "again", isFirst ? "You start the script" : "You start the script again");
      return;
    }
    const { host, parent } = program.start;
    const starter = this.#cast.of(program.start.owner ?? parent ?? this.#driver!);
    if (starter !== undefined) starter.state = "watches over what it has started";
    if (actor.ordinal === 0)
      this.#add(
        actor,
        "job",
        `${this.#settings.env === "ssh" ? "The driver" : "The scheduler"} starts ${actor.name} on ${host}`,
      );
    else {
      const isReplacement = this.#cast.workersSinceStart > this.#settings.workers;
      this.#add(actor, isReplacement ? "replacement" : "worker", `${capital(actor.name)} is started on ${host}`);
    }
  }

  onEnded(program: Program, end: ProgramEnd): void {
    const actor = this.#cast.of(program);
    if (actor === undefined) return;
    const isKilled = end.signal !== undefined || (program.start.owner !== undefined && end.code !== 0);
    actor.state = isKilled ? "was killed" : end.code === 0 ? "has ended" : "has failed";
    if (isDriver(program)) this.lastEnd = end;
    if (isKilled) {
      const lost = [...actor.inWork, ...actor.inMemory];
      const what = lost.length === 0 ? "" : `; ${itemsText(lost)} ${lost.length === 1 ? "was" : "were"} not saved yet`;
      this.#add(actor, "killed", `${capital(actor.name)} is killed${what}`);
    } else if (isDriver(program)) {
      if (end.code === 0) this.#add(actor, "complete", "The run is complete");
      else this.#add(actor, "failedRun", `The run fails: ${firstLine(this.lastError)}`);
    } else this.#add(actor, "left", `${capital(actor.name)} ends`);
  }

  onError(program: Program, error: unknown): void {
    if (!isDriver(program)) return;
    this.lastError = error;
    this.onOutput(program, "stderr", `${error instanceof Error ? error.message : String(error)}\n`);
  }

  onOutput(_program: Program, _stream: "stdout" | "stderr", text: string): void {
    this.output.push({ atMs: this.#machine().clock.nowMs, text });
  }

  onChanging(program: Program, change: DiskChange): void {
    const event = classifyChange(change);
    const actor = this.#cast.of(program);
    if (event !== undefined && actor !== undefined && this.#faults.beforeChange(actor, event) === "kill")
      this.#kill(actor);
  }

  onChanged(program: Program, change: DiskChange): void {
    const event = classifyChange(change);
    const actor = this.#cast.of(program);
    if (event === undefined || actor === undefined) return;
    this.#follow(actor, event, change);
    if (this.#faults.afterChange(actor, event) === "kill") this.#kill(actor);
  }

  onModel(program: Program, moment: ModelMoment): void {
    const actor = this.#cast.of(program)!;
    const items = "items" in moment ? itemsText(moment.items) : "";
    const fault = this.#faults.atModel(actor, moment);
    switch (moment.is) {
      case "building":
        actor.state = "builds its env";
        this.#add(actor, "building", `${capital(actor.name)} builds its env`);
        break;
      case "built":
        Object.assign(actor, { hasEnv: true, state: "has its env" });
        this.#add(actor, "built", `${capital(actor.name)} has its env: dataset and model`);
        break;
      case "called":
        Object.assign(actor, { inWork: moment.items, hasBegun: true, state: `runs forward for ${items}` });
        this.#add(actor, "called", `${capital(actor.name)} calls forward for ${items}`);
        break;
      case "answered":
        Object.assign(actor, {
          inWork: [],
          inMemory: [...actor.inMemory, ...moment.items],
          state: `has the result of ${items}`,
        });
        this.#add(actor, "answered", `forward returns for ${items}`);
        break;
      case "failed":
        Object.assign(actor, { inWork: [], state: `failed at ${items}` });
        this.#add(actor, "failed", `forward throws for ${items}`);
        break;
    }
    if (fault === "kill") this.#kill(actor);
    else if (fault === "kill driver") this.#kill(this.#cast.of(this.#driver!)!);
    else if (fault === "pause") this.#pause(actor);
  }

  #follow(actor: Actor, event: RunEvent, change: DiskChange): void {
    const holder = "unit" in event ? this.#cast.holderOf(event.unit, event.attempt) : undefined;
    const stepText = describeEvent(actor, event, {
      holder,
      plan: { items: this.#settings.items, shards: this.#shardCount() },
      counts: event.is === "commit" ? this.#countsOf(event.unit) : undefined,
    });
    actor.follow(event);
    if (event.is === "fence") holder?.release();
    if (stepText !== undefined) this.#add(actor, stepText.occasion, stepText.title, touchedBy(change));
    if (event.is === "fence" && holder !== undefined && holder === this.#paused)
      this.#machine().clock.after(wakeAfterMs, () => this.#wake(holder));
  }

  #pause(actor: Actor): void {
    this.#paused = actor;
    // A thread cannot be stopped alone: its process is stopped.
    const program = actor.program.start.owner ?? actor.program;
    program.stop();
    const isAlone = program === actor.program;
    this.#add(
      actor,
      "paused",
      isAlone
        ? `${capital(actor.name)} is stopped in the middle of an item`
        : "The process is stopped, and with it the driver and all its threads",
    );
    this.#machine().clock.after(maxPauseMs, () => this.#wake(actor));
  }

  #wake(actor: Actor): void {
    const program = actor.program.start.owner ?? actor.program;
    if (this.#paused !== actor || !program.isAlive) return;
    this.#paused = undefined;
    program.goOn();
    this.#add(actor, actor.unit === undefined ? "awakeLate" : "awake", `${capital(actor.name)} wakes up`);
  }

  #kill({ program }: Actor): void {
    if (program.start.owner === undefined) program.machine.signal(program.pid, "SIGKILL");
    else program.finish({ code: 1 });
  }

  #shardCount(): number {
    const text = textIn(this.#machine(), `${runDir}/manifest.json`);
    return (JSON.parse(text ?? "{}") as { shards?: { count?: number } }).shards?.count ?? 0;
  }

  #countsOf(shard: number): ShardCounts | undefined {
    const text = textIn(this.#machine(), `${runDir}/split.${shard}/done`);
    return text === undefined ? undefined : (JSON.parse(text) as Done).counts;
  }

  #add(actor: Actor | undefined, occasion: Occasion, title: string, touched: readonly string[] = []): void {
    const { phase, why, code, config, isDetail = false } = remarks[occasion];
    const machine = this.#machine();
    this.steps.push({
      atMs: machine.clock.nowMs,
      phase,
      actor: actor?.program.pid ?? 0,
      title,
      why,
      code,
      config,
      isDetail,
      touched,
      files: takeSnapshot(machine.disk, runDir),
      actors: this.#cast.views(),
    });
  }
}

function touchedBy(change: DiskChange): string[] {
  return [("to" in change ? change.to : change.path).slice(runDir.length + 1)];
}

function textIn({ disk }: Machine, path: string): string | undefined {
  const node = disk.find(path);
  return node?.kind === "file" ? new TextDecoder().decode(node.bytes) : undefined;
}

function itemsText(items: readonly number[]): string {
  return items.length === 1 ? `item ${items[0]}` : `items ${items.join(", ")}`;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
}
