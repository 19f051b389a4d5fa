import type { ParallelConfig } from "../config/parallel.ts";
import { buildWorkerEnv } from "../provider/environment-provider.ts";
import { bindOptions } from "../runner/bind-options.ts";
import { checkRunner, type RunnerStatics, traitsOf } from "../runner/runner-traits.ts";
import { isMillraceError } from "../shared/errors.ts";
import { markWorker } from "../shared/in-worker.ts";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";
import { readFirstLook } from "../store/first-look.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { type Manifest, requireManifest } from "../store/manifest.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import type { RunSpec } from "../store/run-spec.ts";
import { runWorker } from "../worker/run-worker.ts";
import { type Membership, openSession } from "../worker/session.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import type { JoinOutcome } from "../worker/worker-line.ts";
import { loadClass } from "./load-class.ts";
import { loadSpec } from "./load-spec.ts";
import { memoryLimit } from "./memory-limit.ts";
import { rebuildProvider } from "./rebuild-provider.ts";
import { requireSameCode } from "./require-same-code.ts";

/** How a worker takes part in a run that someone else has begun. */
export interface JoinRequest extends Pick<Membership, "name" | "watcher" | "startBeating" | "isAskedToLeave"> {
  readonly runDir: string;
  readonly watch: (options: WorkOptions) => Membership["watch"];
  /** A driver has started it, and has looked into every shard before. */
  readonly isLaunched?: boolean;
  /** Whether the memory of the process is this worker's alone, so that `maxRss` can count. */
  readonly ownsProcess: boolean;
  /** The env is built; the first item is next. */
  readonly onReady: () => void;
  readonly onFailing?: ((error: unknown) => void) | undefined;
}

export interface JoinResult {
  readonly outcome: JoinOutcome;
  /** The shards it found committed or committed itself. */
  readonly committed: ReadonlyMap<number, KnownShard>;
}

/** Loads the two classes and makes sure that they are the run's: the files may have been edited since it was started. */
async function loadClasses(paths: RunPaths, manifest: Manifest, spec: RunSpec) {
  const { cwd } = spec;
  try {
    const runnerClass = await loadClass(spec.runner, { cwd, code: "BAD_RUNNER" });
    const providerClass = await loadClass(spec.provider, { cwd, code: "BAD_PROVIDER" });
    await requireSameCode(paths, manifest, spec, { runner: runnerClass, provider: providerClass });
    return { runnerClass, providerClass };
  } catch (error) {
    // That the code was edited says more than that it can no longer be loaded.
    if (!isMillraceError(error) || error.code !== "RUN_CHANGED") await requireSameCode(paths, manifest, spec);
    throw error;
  }
}

/** Takes part in a run as one of its workers. All it needs is the run folder. */
export async function joinRun(request: JoinRequest): Promise<JoinResult> {
  markWorker();
  const paths = runPaths(request.runDir);
  const spec = await loadSpec(paths);
  const manifest = requireManifest(paths);
  const { plan } = manifest;
  const work = spec.options as WorkOptions;
  const { runnerClass, providerClass } = await loadClasses(paths, manifest, spec);
  const runner = checkRunner(runnerClass as unknown as RunnerStatics);
  // What importing them has left to fail, a run that was started say, comes to light before any work is done.
  await yieldToEventLoop();
  const provider = rebuildProvider(providerClass as Parameters<typeof rebuildProvider>[0], spec);
  const memory = memoryLimit(request.ownsProcess ? work.maxRss : undefined, spec.provider.name);
  const session = openSession(paths, plan, {
    firstLook: request.isLaunched === true ? readFirstLook(paths) : undefined,
    company: (spec.parallel as Partial<ParallelConfig>).nWorkers,
    name: request.name,
    watcher: request.watcher,
    runner: bindOptions(runner, spec.ownOptions ?? {}),
    work,
    traits: traitsOf(runner),
    watch: request.watch(work),
    startBeating: request.startBeating,
    isAskedToLeave: request.isAskedToLeave,
    isTooLarge: memory.isExceeded,
    onFailing: request.onFailing,
    buildEnv: async () => {
      const env = await buildWorkerEnv(provider);
      memory.checkEnv();
      request.onReady();
      return env;
    },
    teardown: (env) => provider.teardown(env),
  });
  try {
    const { kind, committed } = await runWorker(session.job);
    // And a rejection that the last items have left before the worker says that all went well.
    await yieldToEventLoop();
    return { outcome: kind === "left" && memory.wasExceeded() ? "recycled" : kind, committed };
  } finally {
    session.close();
  }
}
