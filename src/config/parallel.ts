import { availableParallelism } from "node:os";
import { MillraceError } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { describeKind, isPlainObject } from "../shared/state-json.ts";
import { type ParallelEnv, parallelEnvs } from "./parallel-envs.ts";
import { copyPositions } from "./position-of.ts";

/** The `parallel:` section as it stands in a config; `n_workers` and `nWorkers` are the same. */
export interface ParallelInput {
  readonly env?: ParallelEnv;
  readonly n_workers?: number;
  readonly nWorkers?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Taken, so that a section of ESPnet3's can stay as it is, and of no effect: leases expire by themselves. */
  readonly allow_overwrite_lock?: boolean;
}

/** How a run is spread out. Never part of a run's identity. */
export interface ParallelConfig {
  readonly env: ParallelEnv;
  readonly nWorkers: number;
  readonly options: Readonly<Record<string, unknown>>;
}

// One setting for the whole process, as in ESPnet3; a runner's own `parallel` option comes before it.
let current: ParallelConfig = Object.freeze({ env: "local", nWorkers: 1, options: Object.freeze({}) });

/** Sets where the runs of this process work, unless a runner says otherwise. `undefined` goes back to one process. */
export function setParallel(parallel: ParallelInput | undefined): void {
  current = checkParallel(parallel ?? { env: "local" });
}

/** The setting that {@link setParallel} made; `local` by default. */
export function getParallelConfig(): ParallelConfig {
  return current;
}

// Those that are recommended, and others that are taken.
const shownKeys = ["env", "n_workers", "options"];
const knownKeys = [...shownKeys, "nWorkers", "allow_overwrite_lock"];

/** Checks a `parallel:` section once, at the border. */
export function checkParallel(parallel: ParallelInput): ParallelConfig {
  const isSection: boolean = isPlainObject(parallel);
  if (!isSection) {
    throw new MillraceError("BAD_OPTION", `parallel is ${describeKind(parallel)}; a section was expected.`, {
      hint: 'Write for instance { env: "process", n_workers: 4 }.',
    });
  }
  for (const key of Object.keys(parallel)) if (!knownKeys.includes(key)) throw unknown("parallel", key, shownKeys);
  const asked = parallel.n_workers ?? parallel.nWorkers;
  const { env = (asked ?? 1) > 1 ? "process" : "local", options = {} } = parallel;
  const nWorkers = asked ?? defaultWorkers(env);
  if (!parallelEnvs.includes(env)) throw unknown("parallel.env", String(env), parallelEnvs);
  if (!Number.isSafeInteger(nWorkers) || nWorkers < 1) {
    throw new MillraceError(
      "BAD_OPTION",
      `parallel.n_workers is ${describeKind(nWorkers)}; a whole number from 1 was expected.`,
      { hint: "Leave it out for one worker per core, or use env: local for none beside this process." },
    );
  }
  if (!isPlainObject(options)) {
    throw new MillraceError("BAD_OPTION", `parallel.options is ${describeKind(options)}; a section was expected.`, {
      hint: "Write its keys indented below it, or leave it out.",
    });
  }
  const copy = Object.freeze({ ...options });
  copyPositions(options, copy);
  return Object.freeze({ env, nWorkers, options: copy });
}

// On this machine: every core. Elsewhere nobody knows what is to be had.
function defaultWorkers(env: ParallelEnv): number {
  return env === "process" || env === "thread" ? availableParallelism() : 1;
}

function unknown(where: string, wrong: string, shown: readonly string[]): MillraceError {
  const near = nearestName(wrong, shown);
  const guess = near === undefined ? "" : `Did you mean ${near}? `;
  return new MillraceError("BAD_OPTION", `${where}: ${JSON.stringify(wrong)} is not known.`, {
    hint: `${guess}Valid: ${shown.join(", ")}.`,
  });
}
