import { finishRun } from "../drive/drive-run.ts";
import { rebuildRunner } from "../join/rebuild-runner.ts";
import { requireSameCode } from "../join/require-same-code.ts";
import { BaseRunner } from "../runner/base-runner.ts";
import { checkRunner, type RunnerStatics, traitsOf } from "../runner/runner-traits.ts";
import { requireManifest } from "../store/manifest.ts";
import { mergeKey, readMerged } from "../store/merged.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { readSpec } from "../store/run-spec.ts";
import { scanShards } from "../store/scan-shards.ts";
import { openSession } from "../worker/session.ts";
import type { WorkOptions } from "../worker/work-options.ts";

/** Merges a complete run that nobody drives, unless another worker has done so or does. */
export async function mergeAlone(paths: RunPaths): Promise<void> {
  if (await isMerged(paths)) return;
  const runner = await rebuildRunner(paths.root, { progress: false });
  // A merge of the user's is code of the run; the library's own is not.
  if (runner.merge !== BaseRunner.prototype.merge)
    await requireSameCode(paths, requireManifest(paths), readSpec(paths), classesOf(runner));
  const hooks = checkRunner(runner.constructor as unknown as RunnerStatics);
  const session = openSession(paths, requireManifest(paths).plan, {
    runner: hooks,
    traits: traitsOf(hooks),
    work: readSpec(paths).options as WorkOptions,
    isAskedToLeave: () => false,
    buildEnv: () => Promise.reject(new Error("a merge needs no env")),
    teardown() {},
  });
  try {
    await finishRun(session, {
      // The lease is held by now: whoever held it before has merged.
      merge: async (shardDirs) => ((await isMerged(paths)) ? undefined : runner.merge(shardDirs)),
    });
  } finally {
    session.close();
  }
}

function classesOf(runner: BaseRunner<object, unknown, unknown>) {
  return { runner: runner.constructor, provider: runner.provider.constructor };
}

async function isMerged(paths: RunPaths): Promise<boolean> {
  const { committed } = await scanShards(paths);
  const dones = [...committed.values()].sort((a, b) => a.shard - b.shard);
  return readMerged(paths)?.key === mergeKey(dones);
}
