import { resolve, sep } from "node:path";
import { MillraceError } from "../../errors/errors.ts";
import { isInsideName } from "../shard/shard-file-names.ts";

/** What can be claimed: a shard by its number, or the merge of all of them. */
export type Claimable = number | "merge";

/** Every path of a run folder. No other module builds such paths. */
export interface RunPaths {
  readonly root: string;
  readonly manifest: string;
  readonly machinery: string;
  readonly spec: string;
  readonly merged: string;
  readonly leases: string;
  /** How long leases live, where the file system needs more than was asked for. */
  readonly leaseTtl: string;
  readonly attempts: string;
  readonly workers: string;
  readonly logs: string;
  /** The submissions to a scheduler, and the reports of their tasks. */
  readonly jobs: string;
  /** What the driver found when it began. */
  readonly firstScan: string;
  /** This file exists while the run is asked to stop. */
  readonly stop: string;
  /** This file exists while workers are asked to finish their current shard and then leave. */
  readonly drain: string;
  /** The error that ended the last start; only displays read it. */
  readonly failure: string;
  /** Notices since the run was last started. */
  readonly notices: string;
  /** Records of attempts that have ended; only displays read it. */
  readonly historyFolder: string;
  /** How many calls each worker may begin in each second, if the run has a rate limit. */
  readonly rate: string;
  shard(id: number): string;
  done(id: number): string;
  /** The folder into which attempt `attempt` at a shard, or at the merge, writes. */
  attempt(target: Claimable, attempt: number): string;
  /** The same folder after the attempt has lost its right to commit. */
  fenced(target: Claimable, attempt: number): string;
  /** A committed or damaged shard that attempt `attempt` is replacing. */
  replaced(target: Claimable, attempt: number): string;
  lease(target: Claimable, attempt: number): string;
  worker(id: string): string;
  log(worker: string): string;
  history(worker: string): string;
  notice(name: string): string;
  rateFile(name: string): string;
  job(name: string): string;
  itemList(name: string): string;
  output(name: string): string;
}

/** The paths of the run folder at `dir`. */
export function runPaths(dir: string): RunPaths {
  const root = resolve(dir);
  // Not made with `join`, which parses each path again: several paths are made for every shard.
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
    leaseTtl: `${inside}lease-ttl.json`,
    attempts: `${inside}attempts`,
    workers: `${inside}workers`,
    logs: `${inside}logs`,
    jobs: `${inside}jobs`,
    firstScan: `${inside}first-look.json`,
    stop: `${inside}stop`,
    drain: `${inside}drain`,
    failure: `${inside}failure.json`,
    notices: `${inside}notices`,
    historyFolder: `${inside}history`,
    rate: `${inside}rate`,
    done: (id) => `${below}split.${id}${sep}done`,
    attempt: (target, attempt) => `${attempts}${target}.${attempt}`,
    fenced: (target, attempt) => `${attempts}${target}.${attempt}.fenced`,
    replaced: (target, attempt) => `${attempts}${target}.${attempt}.replaced`,
    lease: (target, attempt) => `${inside}leases${sep}${target}.${attempt}`,
    worker: (id) => `${inside}workers${sep}${plainName(root, id)}.json`,
    log: (id) => `${inside}logs${sep}${plainName(root, id)}.log`,
    history: (id) => `${inside}history${sep}${plainName(root, id)}.jsonl`,
    notice: (name) => `${inside}notices${sep}${plainName(root, name)}`,
    rateFile: (name) => `${inside}rate${sep}${plainName(root, name)}`,
    job: (name) => `${inside}jobs${sep}${plainName(root, name)}`,
    itemList: (name) => `${inside}${plainName(root, name)}`,
    output: (name) => `${below}${outputName(root, name)}`,
  };
}

/** Checks that a name has no separator: many names come from files that other users may have written. */
function plainName(root: string, name: string): string {
  if (typeof name === "string" && isInsideName(name) && !name.includes(sep)) return name;
  throw badName(root, name);
}

/** Checks the name of a merged file: it must not lead out of the run folder or replace a file of the run itself. */
function outputName(root: string, name: string): string {
  if (isOutputName(name)) return name;
  throw badName(root, name);
}

/** Whether a file may have this name beside the shards. */
export function isOutputName(name: unknown): name is string {
  if (typeof name !== "string" || !isInsideName(name)) return false;
  const [first = ""] = name.split("/", 1);
  return first !== ".millrace" && first !== "manifest.json" && shardIdOf(first) === undefined;
}

function badName(root: string, name: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${JSON.stringify(name)} cannot be a name in the run folder ${root}.`, {
    hint: "It comes from a file of the run that was changed. `millrace verify` says more.",
  });
}

// Attempts count from 1. No run gets that far, and a commit counts down from its own number.
const maxAttempts = 999_999;

/** Whether this can be the number of an attempt. */
export function isAttemptNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxAttempts;
}

/** The target and the number in the name of an attempt's folder or of its lease; undefined for any other name. */
export function parseAttemptName(name: string): { target: Claimable; attempt: number; kind: string } | undefined {
  const match = /^(0|[1-9]\d{0,14}|merge)\.(0|[1-9]\d{0,5})(\.\w+)?$/.exec(name);
  if (match === null) return undefined;
  return { target: match[1] === "merge" ? "merge" : Number(match[1]), attempt: Number(match[2]), kind: match[3] ?? "" };
}

/** The number of a shard folder's name, or undefined for any other name. */
export function shardIdOf(name: string): number | undefined {
  const match = /^split\.(0|[1-9]\d{0,14})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
