import type { ParallelConfig } from "../config/parallel.ts";
import { buildWorkerEnv } from "../provider/environment-provider.ts";
import { bindOptions } from "../runner/bind-options.ts";
import { checkRunner, type RunnerStatics, traitsOf } from "../runner/runner-traits.ts";
import { markWorker } from "../shared/in-worker.ts";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";
import { readFirstLook } from "../store/first-look.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { requireManifest } from "../store/manifest.ts";
import { runPaths } from "../store/run-paths.ts";
import { runWorker } from "../worker/run-worker.ts";
import { type Membership, openSession } from "../worker/session.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import type { JoinOutcome } from "../worker/worker-line.ts";
import { loadClass } from "./load-class.ts";
import { loadSpec } from "./load-spec.ts";
import { memoryLimit } from "./memory-limit.ts";
import { rebuildProvider } from "./rebuild-provider.ts";

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

/** Takes part in a run as one of its workers. All it needs is the run folder. */
export async function joinRun(request: JoinRequest): Promise<JoinResult> {
  markWorker();
  const paths = runPaths(request.runDir);
  const spec = await loadSpec(paths);
  const { plan } = requireManifest(paths);
  const work = spec.options as WorkOptions;
  const runner = checkRunner(
    (await loadClass(spec.runner, { cwd: spec.cwd, code: "BAD_RUNNER" })) as unknown as RunnerStatics,
  );
  const providerClass = await loadClass(spec.provider, { cwd: spec.cwd, code: "BAD_PROVIDER" });
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
