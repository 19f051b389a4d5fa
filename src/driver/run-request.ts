import type { ParallelConfig } from "../config/parallel.ts";
import { bindOptions } from "../contract/bind-options.ts";
import { buildLocalEnv } from "../contract/environment-provider.ts";
import { noteBuiltFields } from "../contract/provider-fields/built-fields.ts";
import { placeOf } from "../contract/run-place.ts";
import type { GivenOptions } from "../contract/runner-options.ts";
import { type ClassStatics, traitsOf } from "../contract/runner-traits.ts";
import type { Task } from "../contract/task.ts";
import type { StopRequests } from "../launchers/launcher.ts";
import type { Items } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import { leaseTtlMsFor } from "../run-folder/lease/lease.ts";
import type { ClassReference, RunSpec } from "../run-folder/run/run-spec.ts";
import { copyOrigins } from "../secrets/origins.ts";
import type { WorkerTask } from "../worker/worker-context.ts";
import { identifyRun, type RunIdentity } from "./identify-run.ts";

/** One start of a task. */
export interface RunRequest<Merged> {
  readonly task: Task<Merged>;
  readonly runDir: string;
  readonly items: Items | ItemList;
  readonly stop: StopRequests;
  /** Where workers run, as it was set when this start began. */
  readonly parallel: ParallelConfig;
  readonly identity: RunIdentity;
  /** The task as a worker in this process runs it. */
  readonly work: WorkerTask;
}

type Place = Pick<RunRequest<unknown>, "runDir" | "items" | "stop">;

export function makeRequest<Merged>(task: Task<Merged>, place: Place): RunRequest<Merged> {
  const { runner, provider, options, classOptions } = task;
  const parallel = options.parallel();
  const leaseTtlMs = options.work.leaseTtlMs ?? leaseTtlMsFor(parallel.nWorkers);
  return {
    task,
    ...place,
    parallel,
    identity: identifyRun(task),
    work: {
      hooks: bindOptions(runner, classOptions),
      traits: traitsOf(runner),
      options: { ...options.work, leaseTtlMs },
      buildEnv: () => noteBuiltFields(provider, () => buildLocalEnv(provider)),
      teardown: (env) => provider.teardown(env),
      place: placeOf(options),
    },
  };
}

/** What a worker in another process needs to know. */
export function specOf({ task, parallel, identity, work }: RunRequest<unknown>): RunSpec {
  const { runner, provider, options, classOptions, given } = task;
  const { project, providerState } = identity;
  return {
    version: 3,
    runner: referenceTo(runner),
    provider: referenceTo(provider.constructor),
    config: provider.config,
    params: provider.params,
    ...(project === undefined ? {} : { project }),
    providerState,
    options: work.options,
    runnerOptions: sendableOptions(given, classOptions),
    ownOptions: classOptions,
    ...(options.onCodeChange === undefined ? {} : { onCodeChange: options.onCodeChange }),
    parallel,
    ...(options.specAccess === "group" ? { access: "group" } : {}),
    cwd: process.cwd(),
  };
}

function referenceTo({ module, name, definition }: ClassStatics): ClassReference {
  return { module, name, ...(definition === undefined ? {} : { definition }) };
}

/** The options as the runner was given them, without what only this process has, or what says where it works. */
function sendableOptions(
  { signal: _signal, parallel: _parallel, ...options }: GivenOptions,
  classOptions: object,
): GivenOptions {
  copyOrigins(classOptions, options);
  return options;
}
