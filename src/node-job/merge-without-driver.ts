import { BaseRunner } from "../contract/base-runner.ts";
import { traitsOf } from "../contract/runner-traits.ts";
import type { WorkOptions } from "../contract/work-options.ts";
import { finishRun } from "../driver/drive-run.ts";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { requireManifest } from "../run-folder/run/manifest.ts";
import { mergeKey, readMerged } from "../run-folder/run/merged.ts";
import { readSpec } from "../run-folder/run/run-spec.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import { rebuildRunner } from "../worker/join/rebuild-runner.ts";
import { requireSameCode } from "../worker/join/require-same-code.ts";
import { openSession } from "../worker/session.ts";

/** Merges a complete run that has no driver, unless another worker has merged it or is merging it. */
export async function mergeWithoutDriver(paths: RunPaths): Promise<void> {
  if (await isMerged(paths)) return;
  const runner = await rebuildRunner(paths.root, { progress: false });
  // The code of a custom merge must be that of the run.
  if (runner.merge !== BaseRunner.prototype.merge)
    await requireSameCode(paths, requireManifest(paths), readSpec(paths), classesOf(runner));
  const { runner: hooks, merge } = runner["~task"]();
  const task = {
    hooks,
    traits: traitsOf(hooks),
    options: readSpec(paths).options as WorkOptions,
    buildEnv: () => Promise.reject(new Error("a merge needs no env")),
    teardown() {},
  };
  const run = { paths, plan: requireManifest(paths).plan };
  const session = openSession(run, task, { isAskedToLeave: () => false });
  try {
    // Checked again while the lease is held: the previous holder may have merged.
    await finishRun(session, async (...shards) => ((await isMerged(paths)) ? undefined : merge(...shards)));
  } finally {
    session.close();
  }
}

function classesOf(runner: BaseRunner<object>) {
  return { runner: runner.constructor, provider: runner.provider.constructor };
}

async function isMerged(paths: RunPaths): Promise<boolean> {
  const { committed } = await scanShards(paths);
  const dones = [...committed.values()].sort((a, b) => a.shard - b.shard);
  return readMerged(paths)?.key === mergeKey(dones);
}
