import { describeCodeChange } from "../code/compare-code.ts";
import type { ItemList } from "../plan/item-list.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { MillraceError } from "../shared/errors.ts";
import { makeFolders } from "../store/durable-files.ts";
import { compareFingerprints, type Difference, type Fingerprint, makeFingerprint } from "../store/fingerprint.ts";
import { forgetFailure } from "../store/last-failure.ts";
import { createManifest, type Manifest, readManifest, rewriteManifest } from "../store/manifest.ts";
import { forgetNotices } from "../store/notices.ts";
import { type RunPaths, shardIdOf } from "../store/run-paths.ts";
import { writeSpec } from "../store/run-spec.ts";
import { namesIn } from "../store/scan-shards.ts";
import { withdrawStop } from "../store/stop-order.ts";
import { type CodeVerdict, firstCode, judgeCode } from "./judge-code.ts";
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
  if (fingerprint !== manifest.fingerprint) requireSameRun(paths, manifest, fingerprint, request);
  // Not before: a start that is refused leaves the run as it was.
  withdrawStop(paths);
  forgetFailure(paths);
  forgetNotices(paths);
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
  const code = firstCode(request);
  if (createManifest(paths, { plan, fingerprint, code })) return { plan, fingerprint, code, created: "" };
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

/** A resume must be the same run: the same runner, provider, config, params and items, and the same code. */
export function requireSameRun(
  paths: RunPaths,
  manifest: Manifest,
  fingerprint: Fingerprint,
  request: Pick<RunRequest<unknown>, "acceptChange" | "code" | "onCodeChange">,
): void {
  const differences = compareFingerprints(manifest.fingerprint, fingerprint);
  const areItemsChanged = differences.some(({ key }) => key === "items");
  const isRefused = differences.length > 0 && (areItemsChanged || !request.acceptChange);
  const code = judgeCode(paths, manifest, request);
  if (isRefused || code.kind === "refused") throw changed(paths, manifest, { differences, areItemsChanged, code });
  if (differences.length > 0 || code.versions !== manifest.code)
    rewriteManifest(paths, { ...manifest, fingerprint, code: code.versions });
}

interface Changes {
  readonly differences: readonly Difference[];
  readonly areItemsChanged: boolean;
  readonly code: CodeVerdict;
}

function changed(paths: RunPaths, { plan }: Manifest, { differences, areItemsChanged, code }: Changes): MillraceError {
  const shown = differences
    .slice(0, 20)
    .map(({ key, before, after }) => `  ${key}: ${before ?? "(none)"} -> ${after ?? "(none)"}`);
  if (differences.length > shown.length) shown.push(`  … and ${differences.length - shown.length} more`);
  const parts = [
    ...(shown.length === 0 ? [] : [`The run in ${paths.root} was begun with something else:`, ...shown]),
    ...(code.kind === "fine"
      ? []
      : [
          `${shown.length === 0 ? `The code of the run in ${paths.root} has changed. ` : ""}${code.itemsDone} of its ${plan.items.count} items were made by other code:`,
          ...describeCodeChange(code.change).map((line) => `  ${line}`),
        ]),
  ];
  return new MillraceError("RUN_CHANGED", parts.join("\n"), { hint: hintFor(areItemsChanged, code) });
}

function hintFor(areItemsChanged: boolean, { kind }: CodeVerdict): string {
  if (areItemsChanged)
    return "The plan of a run never changes: use another outputDir for other items, or resume: false to start over.";
  return kind === "refused"
    ? "Pass resume: false to compute everything with the new code, acceptChange: true to keep what is done and go on, or use another outputDir."
    : "Go back to the old values, pass acceptChange: true to keep what is done, or resume: false to start over.";
}
