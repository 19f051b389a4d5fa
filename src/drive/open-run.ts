import type { ItemList } from "../plan/item-list.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { MillraceError } from "../shared/errors.ts";
import { makeFolders } from "../store/durable-files.ts";
import { compareFingerprints, type Difference, type Fingerprint, makeFingerprint } from "../store/fingerprint.ts";
import { forgetFailure } from "../store/last-failure.ts";
import { createManifest, type Manifest, readManifest, rewriteManifest } from "../store/manifest.ts";
import { type RunPaths, shardIdOf } from "../store/run-paths.ts";
import { writeSpec } from "../store/run-spec.ts";
import { namesIn } from "../store/scan-shards.ts";
import { withdrawStop } from "../store/stop-order.ts";
import type { RunRequest } from "./run-request.ts";
import { startOver } from "./start-over.ts";

/** Finds the run in its folder or begins it there; answers the plan that counts. */
export function openRun(paths: RunPaths, items: ItemList, request: RunRequest<unknown>): Plan {
  if (!request.resume) startOver(paths);
  for (const folder of [paths.leases, paths.attempts, paths.workers]) makeFolders(folder);
  const fingerprint = makeFingerprint({ ...request.identity, items });
  let manifest = readManifest(paths);
  if (manifest === undefined && hasShards(paths)) {
    // Another driver may have begun the run, and committed a shard, since the first look.
    manifest = readManifest(paths);
    if (manifest === undefined) throw foreignShards(paths);
  }
  manifest ??= begin(paths, items, { request, fingerprint });
  if (fingerprint !== manifest.fingerprint)
    requireSameRun(paths, manifest, { fingerprint, acceptChange: request.acceptChange });
  // Not before: a start that is refused leaves the run as it was.
  withdrawStop(paths);
  forgetFailure(paths);
  writeSpec(paths, request.spec);
  return manifest.plan;
}

function begin(
  paths: RunPaths,
  items: ItemList,
  { request, fingerprint }: { request: RunRequest<unknown>; fingerprint: Fingerprint },
): Manifest {
  const { batchSize } = request.work;
  const plan = makePlan(items, { shards: request.shards, batchSize, workers: request.parallel.nWorkers });
  if (createManifest(paths, { plan, fingerprint })) return { plan, fingerprint, created: "" };
  // Another driver began the same run in this very moment: its plan counts.
  return readManifest(paths)!;
}

function hasShards(paths: RunPaths): boolean {
  return namesIn(paths.root).some((name) => shardIdOf(name) !== undefined);
}

function foreignShards(paths: RunPaths): MillraceError {
  return new MillraceError(
    "RUN_FOREIGN",
    `${paths.root} holds shards (split.N) but no manifest.json: whose is not known.`,
    {
      hint: "Choose another outputDir, restore manifest.json, or pass resume: false to delete the shards and start over.",
    },
  );
}

/** A resume must be the same run: the same runner, provider, config, params and items. */
export function requireSameRun(
  paths: RunPaths,
  manifest: Manifest,
  { fingerprint, acceptChange }: { fingerprint: Fingerprint; acceptChange: boolean },
): void {
  const differences = compareFingerprints(manifest.fingerprint, fingerprint);
  if (differences.length === 0) return;
  const areItemsChanged = differences.some(({ key }) => key === "items");
  if (acceptChange && !areItemsChanged) rewriteManifest(paths, { ...manifest, fingerprint });
  else throw changed(paths, differences, areItemsChanged);
}

function changed(paths: RunPaths, differences: readonly Difference[], areItemsChanged: boolean): MillraceError {
  const shown = differences
    .slice(0, 20)
    .map(({ key, before, after }) => `  ${key}: ${before ?? "(none)"} -> ${after ?? "(none)"}`);
  if (differences.length > shown.length) shown.push(`  … and ${differences.length - shown.length} more`);
  return new MillraceError(
    "RUN_CHANGED",
    `The run in ${paths.root} was begun with something else:\n${shown.join("\n")}`,
    {
      hint: areItemsChanged
        ? "The plan of a run never changes: use another outputDir for other items, or resume: false to start over."
        : "Go back to the old values, pass acceptChange: true to keep what is done, or resume: false to start over.",
    },
  );
}
