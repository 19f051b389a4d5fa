import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePlan } from "../../src/plan/make-plan.ts";
import { type RunPaths, runPaths } from "../../src/run-folder/files/run-paths.ts";
import { createManifest } from "../../src/run-folder/run/manifest.ts";
import { writeSpec } from "../../src/run-folder/run/run-spec.ts";
import { writeDone } from "../../src/run-folder/shard/done.ts";

/** A run folder made by hand: `shards` shards of ten items each, none of them committed. */
export function makeRun(dir: string, shards: number): RunPaths {
  const paths = runPaths(dir);
  for (const folder of [paths.leases, paths.attempts, paths.workers, paths.logs])
    mkdirSync(folder, { recursive: true });
  const count = shards * 10;
  const items = { kind: "segments", count, segments: [[0, 1, count]] } as const;
  const plan = makePlan(items, { shards, batchSize: undefined, workers: 1 });
  createManifest(paths, { plan, fingerprint: {} as never, code: [] });
  writeSpec(paths, {
    version: 2,
    runner: { module: "file:///runner.mjs", name: "Runner" },
    provider: { module: "file:///provider.mjs", name: "Provider" },
    providerState: { isConstructible: true, fields: {}, made: {}, missing: {} },
    config: { dataset: { path: "corpus" } },
    params: {},
    options: {},
    runnerOptions: { onError: "skip" },
    parallel: { env: "local", nWorkers: 1, options: {} },
    cwd: "/",
  });
  return paths;
}

/** Commits a shard of it by hand. */
export function commitByHand(paths: RunPaths, shard: number, failed = 0): void {
  const folder = paths.shard(shard);
  mkdirSync(folder, { recursive: true });
  const counts = { items: 10, written: 10 - failed, dropped: 0, failed };
  writeDone(folder, { version: 1, shard, attempt: 1, worker: "hand", counts, files: [] });
  const line = (i: number) =>
    `${JSON.stringify({ item: shard * 10 + i, position: i, error: { name: "Error", message: `no ${i}` }, stack: "at", attempt: 1, tries: 1, at: {} })}\n`;
  if (failed > 0)
    writeFileSync(join(folder, "failures.jsonl"), Array.from({ length: failed }, (_, i) => line(i)).join(""));
}
