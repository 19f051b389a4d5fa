import type { ParallelConfig } from "../../config/parallel.ts";
import { bindOptions } from "../../contract/bind-options.ts";
import { buildWorkerEnv } from "../../contract/environment-provider.ts";
import { placeOf } from "../../contract/run-place.ts";
import type { GivenOptions } from "../../contract/runner-options.ts";
import { checkRunner, traitsOf } from "../../contract/runner-traits.ts";
import type { WorkOptions } from "../../contract/work-options.ts";
import { isMillraceError } from "../../errors/errors.ts";
import { type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import { readFirstScan } from "../../run-folder/run/first-scan.ts";
import { type Manifest, requireManifest } from "../../run-folder/run/manifest.ts";
import type { RunSpec } from "../../run-folder/run/run-spec.ts";
import type { KnownShard } from "../../run-folder/shard/known-shard.ts";
import { markWorker } from "../../runtime/in-worker.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import type { JoinOutcome } from "../messages.ts";
import { runWorker } from "../run-worker.ts";
import { openSession, type SessionOptions } from "../session.ts";
import type { WorkerTask } from "../worker-context.ts";
import { loadClass } from "./load-class.ts";
import { loadSpec } from "./load-spec.ts";
import { memoryLimit } from "./memory-limit.ts";
import { rebuildProvider } from "./rebuild-provider.ts";
import { requireSameCode } from "./require-same-code.ts";

/** How a worker joins a run that another process has started. */
export interface JoinRequest
  extends Pick<SessionOptions, "name" | "watcher" | "startHeartbeatThread" | "isAskedToLeave"> {
  readonly runDir: string;
  readonly watch: (options: WorkOptions) => SessionOptions["watch"];
  /** Whether a driver has started it, after inspecting every shard. */
  readonly isLaunched?: boolean;
  /** Whether the worker is alone in its process, so that `maxRss` applies. */
  readonly ownsProcess: boolean;
  /** Called when the env is built, before the first item. */
  readonly onReady: () => void;
  readonly onFailing?: ((error: unknown) => void) | undefined;
}

export interface JoinResult {
  readonly outcome: JoinOutcome;
  /** The shards it found committed or committed itself. */
  readonly committed: ReadonlyMap<number, KnownShard>;
}

/**
 * Loads runner and provider, and checks that their code is that of the run: the files may have been edited since the start.
 */
async function loadClasses(paths: RunPaths, manifest: Manifest, spec: RunSpec) {
  const { cwd } = spec;
  try {
    const runnerClass = await loadClass(spec.runner, { cwd, code: "BAD_RUNNER" });
    const providerClass = await loadClass(spec.provider, { cwd, code: "BAD_PROVIDER" });
    await requireSameCode(paths, manifest, spec, { runner: runnerClass, provider: providerClass });
    return { runnerClass, providerClass };
  } catch (error) {
    // An error about edited code is more useful than one about code that cannot be loaded.
    if (!isMillraceError(error) || error.code !== "RUN_CHANGED") await requireSameCode(paths, manifest, spec);
    throw error;
  }
}

/** Joins a run as a worker. It needs only the run folder. */
export async function joinRun(request: JoinRequest): Promise<JoinResult> {
  markWorker();
  const paths = runPaths(request.runDir);
  const spec = await loadSpec(paths);
  const manifest = requireManifest(paths);
  const options = spec.options as WorkOptions;
  const { runnerClass, providerClass } = await loadClasses(paths, manifest, spec);
  const runner = checkRunner(runnerClass);
  // If the imports left an error pending (by starting a run, for example), it is thrown here, before any work is done.
  await yieldToEventLoop();
  const provider = rebuildProvider(providerClass as Parameters<typeof rebuildProvider>[0], spec);
  const memory = memoryLimit(request.ownsProcess ? options.maxRss : undefined, spec.provider.name);
  const task: WorkerTask = {
    hooks: bindOptions(runner, spec.ownOptions ?? {}),
    traits: traitsOf(runner),
    options,
    buildEnv: async () => {
      const env = await buildWorkerEnv(provider);
      memory.checkEnv();
      request.onReady();
      return env;
    },
    teardown: (env) => provider.teardown(env),
    place: placeOf(spec.runnerOptions as GivenOptions),
  };
  const session = openSession({ paths, plan: manifest.plan }, task, {
    firstScan: request.isLaunched === true ? readFirstScan(paths) : undefined,
    workerCount: (spec.parallel as Partial<ParallelConfig>).nWorkers,
    name: request.name,
    watcher: request.watcher,
    watch: request.watch(options),
    startHeartbeatThread: request.startHeartbeatThread,
    isAskedToLeave: request.isAskedToLeave,
    isTooLarge: memory.isExceeded,
    onFailing: request.onFailing,
  });
  try {
    const { kind, committed } = await runWorker(session);
    // If the last items left an unhandled rejection, it ends the worker here, before it reports success.
    await yieldToEventLoop();
    return { outcome: kind === "left" && memory.wasExceeded() ? "recycled" : kind, committed };
  } finally {
    session.close();
  }
}
