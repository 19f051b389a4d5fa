import { resolve, sep } from "node:path";

/** What can be claimed: a shard by its number, or the merge of all of them. */
export type Unit = number | "merge";

/** Every path of a run folder. No other module joins names of it. */
export interface RunPaths {
  readonly root: string;
  readonly manifest: string;
  readonly machinery: string;
  readonly spec: string;
  readonly merged: string;
  readonly leases: string;
  readonly attempts: string;
  readonly workers: string;
  readonly logs: string;
  /** What was submitted to a scheduler, and what became of it. */
  readonly jobs: string;
  /** What the driver found when it began. */
  readonly firstLook: string;
  /** There while the run is asked to stop. */
  readonly stop: string;
  /** There while the run is asked to stop once the shards in work are done. */
  readonly drain: string;
  /** The error that ended the last start, where it was one; nothing but displays reads it. */
  readonly failure: string;
  /** What was said about the run since it was last started. */
  readonly notices: string;
  /** What became of attempts that have ended; nothing but displays reads it. */
  readonly historyFolder: string;
  shard(id: number): string;
  done(id: number): string;
  /** The folder in which attempt `epoch` at a unit works. */
  attempt(unit: Unit, epoch: number): string;
  /** The same folder once its right to commit was taken away. */
  fenced(unit: Unit, epoch: number): string;
  /** A committed or damaged shard that attempt `epoch` is taking the place of. */
  replaced(unit: Unit, epoch: number): string;
  lease(unit: Unit, epoch: number): string;
  worker(id: string): string;
  log(worker: string): string;
  history(worker: string): string;
  notice(name: string): string;
  job(name: string): string;
  itemList(name: string): string;
  output(name: string): string;
}

/** The paths of the run folder at `dir`. */
export function runPaths(dir: string): RunPaths {
  const root = resolve(dir);
  // Put together by hand: several of these are made for every shard, and join would take each apart again.
  const below = root.endsWith(sep) ? root : root + sep;
  const inside = `${below}.millrace${sep}`;
  const attempts = `${inside}attempts${sep}`;
  const shard = (id: number) => `${below}split.${id}`;
  return {
    root,
    shard,
    machinery: `${below}.millrace`,
    manifest: `${below}manifest.json`,
    spec: `${inside}spec.json`,
    merged: `${inside}merged.json`,
    leases: `${inside}leases`,
    attempts: `${inside}attempts`,
    workers: `${inside}workers`,
    logs: `${inside}logs`,
    jobs: `${inside}jobs`,
    firstLook: `${inside}first-look.json`,
    stop: `${inside}stop`,
    drain: `${inside}drain`,
    failure: `${inside}failure.json`,
    notices: `${inside}notices`,
    historyFolder: `${inside}history`,
    done: (id) => `${below}split.${id}${sep}done`,
    attempt: (unit, epoch) => `${attempts}${unit}.${epoch}`,
    fenced: (unit, epoch) => `${attempts}${unit}.${epoch}.fenced`,
    replaced: (unit, epoch) => `${attempts}${unit}.${epoch}.replaced`,
    lease: (unit, epoch) => `${inside}leases${sep}${unit}.${epoch}`,
    worker: (id) => `${inside}workers${sep}${id}.json`,
    log: (id) => `${inside}logs${sep}${id}.log`,
    history: (id) => `${inside}history${sep}${id}.jsonl`,
    notice: (name) => `${inside}notices${sep}${name}`,
    job: (name) => `${inside}jobs${sep}${name}`,
    itemList: (name) => `${inside}${name}`,
    output: (name) => `${below}${name}`,
  };
}

/** The unit and the number in the name of an attempt's folder or of its lease; undefined for any other name. */
export function parseAttemptName(name: string): { unit: Unit; epoch: number; kind: string } | undefined {
  const match = /^(\d+|merge)\.(\d+)(\.\w+)?$/.exec(name);
  if (match === null) return undefined;
  return { unit: match[1] === "merge" ? "merge" : Number(match[1]), epoch: Number(match[2]), kind: match[3] ?? "" };
}

/** The number of a shard folder's name, or undefined for any other name. */
export function shardIdOf(name: string): number | undefined {
  const match = /^split\.(\d+)$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
