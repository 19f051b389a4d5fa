import type { Done } from "../../../src/store/done.ts";
import type { DiskChange, Machine, ModelMoment, Onlooker } from "../machine/machine.ts";
import type { Program, ProgramEnd } from "../machine/program.ts";
import { type Actor, Cast } from "./actors.ts";
import { classifyChange, type Deed } from "./classify-change.ts";
import { runDir } from "./example-files.ts";
import { isDriver, openFaults } from "./faults.ts";
import { type Occasion, type Remark, remarks } from "./narration.ts";
import type { Settings } from "./settings.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { Step, Story } from "./story.ts";

// A stopped worker goes on a little after its shard was taken over, or after so long where nobody takes it.
const wakeAfterMs = 60;
const longestPauseMs = 20_000;

/** Looks on while the programs run, does to them what the reader has chosen, and writes down each step. */
export class StoryRecorder implements Onlooker {
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

  /** Something that happens outside of every program: a file is corrected. */
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
    const { host } = program.start;
    if (actor.ordinal === 0) this.#add(actor, "job", `The scheduler starts ${actor.name} on ${host}`);
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
    const deed = classifyChange(change);
    const actor = this.#cast.of(program);
    if (deed !== undefined && actor !== undefined && this.#faults.beforeChange(actor, deed) === "kill") this.#kill(actor);
  }

  onChanged(program: Program, change: DiskChange): void {
    const deed = classifyChange(change);
    const actor = this.#cast.of(program);
    if (deed === undefined || actor === undefined) return;
    this.#describe(actor, deed, change);
    if (this.#faults.afterChange(actor, deed) === "kill") this.#kill(actor);
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
        Object.assign(actor, { inWork: [], inMemory: [...actor.inMemory, ...moment.items], state: `has the result of ${items}` });
        this.#add(actor, "answered", `forward returns for ${items}`, [], { isDetail: true });
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

  #describe(actor: Actor, deed: Deed, change: DiskChange): void {
    const who = capital(actor.name);
    const touched = touchedBy(change);
    const say = (occasion: Occasion, title: string) => this.#add(actor, occasion, title, touched);
    switch (deed.is) {
      case "manifest":
        return say("manifest", `The driver plans: ${this.#settings.items} items in ${this.#shardCount()} shards`);
      case "spec":
        return say("spec", "The driver writes down how a worker finds the classes");
      case "first-look":
        return say("firstLook", "The driver leaves what it has seen for the workers");
      case "job":
        return say("submission", `${who} writes jobs/${deed.name}`);
      case "stop":
        return say("stopOrder", `${who} asks everyone to stop`);
      case "report":
        return say("report", `${who} makes its own file`);
      case "merged":
        return say("merged", "The shards are merged in item order");
      case "merged-file":
        return;
      case "tidy":
        return say("tidy", `${who} removes attempt ${deed.path}`);
      case "commit": {
        const counts = this.#doneOf(deed.unit)?.counts;
        actor.letGo();
        actor.state = "looks for a shard";
        const failed = counts?.failed ?? 0;
        return say("commit", `${who} commits shard ${deed.unit}: ${counts?.written} records${failed > 0 ? `, ${failed} failed` : ""}`);
      }
      default:
        return this.#describeAttempt(actor, deed, say);
    }
  }

  #describeAttempt(
    actor: Actor,
    { is, unit, epoch, name }: Extract<Deed, { name: string; unit: unknown }>,
    say: (occasion: Occasion, title: string) => void,
  ): void {
    const who = capital(actor.name);
    const what = unit === "merge" ? "the merge" : `shard ${unit}`;
    switch (is) {
      case "claim":
        actor.take(unit, epoch);
        actor.state = unit === "merge" ? "merges" : `works on ${what}`;
        if (unit === "merge") return say("mergeClaim", `${who} claims the merge`);
        return say("claim", `${who} claims ${what}${epoch > 1 ? `, attempt ${epoch}` : ""}`);
      case "lease":
        return this.#add(actor, "lease", `${who} has the lease on ${what}`, [`.millrace/leases/${unit}.${epoch}`], { isDetail: true });
      case "records":
        if (!actor.hasBegun) return say("copied", `${who} goes on from the checkpoint of attempt ${epoch - 1}`);
        actor.inMemory = [];
        return say("records", `${who} writes to records.jsonl of ${what}`);
      case "failures":
        return say("failures", `${who} puts the failed item into failures.jsonl of ${what}`);
      case "checkpoint":
        return say("checkpoint", `${who} saves a checkpoint of ${what}`);
      case "done":
        return say("done", `${who} writes done of ${what}`);
      case "note":
        if (name === ".item") return this.#add(actor, "itemNote", `${who} notes which item it is at`, [`.millrace/attempts/${unit}.${epoch}/.item`]);
        return say(name === ".exit" ? "exitNote" : "note", `${who} leaves the note ${name} in attempt ${unit}.${epoch}`);
      case "drop":
        if (unit !== "merge") return;
        actor.letGo();
        return say("mergeEnd", `${who} gives up the claim on the merge`);
      case "fence":
        return this.#describeFence(actor, unit, epoch, say);
    }
  }

  #describeFence(actor: Actor, unit: number | "merge", epoch: number, say: (occasion: Occasion, title: string) => void): void {
    const holder = this.#cast.holderOf(unit, epoch);
    const what = unit === "merge" ? "the merge" : `shard ${unit}`;
    holder?.letGo();
    if (holder === actor) return say("release", `${capital(actor.name)} gives ${what} back`);
    const isWorker = actor.ordinal > 0;
    say(isWorker ? "fence" : "reaped", `${capital(actor.name)} takes ${what} from ${holder?.name ?? "a worker that is gone"}`);
    if (holder !== undefined && holder === this.#paused) this.#machine().clock.after(wakeAfterMs, () => this.#wake(holder));
  }

  #pause(actor: Actor): void {
    this.#paused = actor;
    // A thread cannot be stopped alone: its process is.
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
    this.#machine().clock.after(longestPauseMs, () => this.#wake(actor));
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

  #doneOf(shard: number): Done | undefined {
    const text = textIn(this.#machine(), `${runDir}/split.${shard}/done`);
    return text === undefined ? undefined : (JSON.parse(text) as Done);
  }

  #add(actor: Actor | undefined, occasion: Occasion, title: string, touched: readonly string[] = [], changed: Partial<Remark> = {}): void {
    const { phase, why, code, config, isDetail = false }: Remark = { ...remarks[occasion], ...changed };
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
  const path = ("to" in change ? change.to : change.path).slice(runDir.length + 1);
  return [path];
}

function textIn({ disk }: Machine, path: string): string | undefined {
  const node = disk.find(path);
  return node?.kind === "file" ? new TextDecoder().decode(node.bytes) : undefined;
}

function itemsText(items: readonly number[]): string {
  return items.length === 1 ? `item ${items[0]}` : `items ${items.join(", ")}`;
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
}
