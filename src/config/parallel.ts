import { availableParallelism } from "node:os";
import { MillraceError } from "../errors/errors.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind, isPlainObject } from "../values/state-json.ts";
import { type ParallelEnv, parallelEnvs } from "./parallel-envs.ts";
import { copyPositions } from "./position-of.ts";

/** The `parallel:` section as written in a config; `n_workers` and `nWorkers` are equivalent. */
export interface ParallelInput {
  readonly env?: ParallelEnv;
  readonly n_workers?: number;
  readonly nWorkers?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Ignored. Accepted so that a section of ESPnet3 can be used unchanged: leases expire by themselves. */
  readonly allow_overwrite_lock?: boolean;
}

/** How a run is parallelised. Never part of a run's identity. */
export interface ParallelConfig {
  readonly env: ParallelEnv;
  readonly nWorkers: number;
  readonly options: Readonly<Record<string, unknown>>;
}

// One setting for the whole process, as in ESPnet3; a runner's `parallel` option takes precedence.
let current: ParallelConfig = Object.freeze({ env: "local", nWorkers: 1, options: Object.freeze({}) });

/**
 * Sets where the runs of this process execute, unless a runner overrides it. `undefined` and `null`, a config without the
 * section, keep the setting; `{ env: "local" }` restores the default, this process alone.
 */
export function setParallel(parallel: ParallelInput | null | undefined): void {
  if (parallel != null) current = checkParallel(parallel);
}

/** The setting of {@link setParallel}; `local` by default. */
export function getParallelConfig(): ParallelConfig {
  return current;
}

// The recommended keys, and others that are accepted.
const shownKeys = ["env", "n_workers", "options"];
const knownKeys = [...shownKeys, "nWorkers", "allow_overwrite_lock"];

/** Checks a `parallel:` section. */
export function checkParallel(parallel: ParallelInput): ParallelConfig {
  const isSection: boolean = isPlainObject(parallel);
  if (!isSection) {
    throw new MillraceError("BAD_OPTION", `parallel is ${describeKind(parallel)}; a section was expected.`, {
      hint: 'Write for instance { env: "process", n_workers: 4 }.',
    });
  }
  for (const key of Object.keys(parallel)) if (!knownKeys.includes(key)) throw unknown("parallel", key, shownKeys);
  const asked = parallel.n_workers ?? parallel.nWorkers;
  const { env: place = "local", options = {} } = parallel;
  const nWorkers = asked ?? defaultWorkers(place);
  if (!parallelEnvs.includes(place)) throw unknown("parallel.env", String(place), parallelEnvs);
  if (!Number.isSafeInteger(nWorkers) || nWorkers < 1) {
    throw new MillraceError(
      "BAD_OPTION",
      `parallel.n_workers is ${describeKind(nWorkers)}; a whole number from 1 was expected.`,
      { hint: "Leave it out for one worker per core, or write 1 with env: local for this process alone." },
    );
  }
  if (!isPlainObject(options)) {
    throw new MillraceError("BAD_OPTION", `parallel.options is ${describeKind(options)}; a section was expected.`, {
      hint: "Write its keys indented below it, or leave it out.",
    });
  }
  const copy = Object.freeze({ ...options });
  copyPositions(options, copy);
  copyOrigins(options, copy);
  // This process is one worker; more of them are processes.
  const env = place === "local" && nWorkers > 1 ? "process" : place;
  return Object.freeze({ env, nWorkers, options: copy });
}

// On this machine: every core. For other environments the number of cores is unknown.
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
