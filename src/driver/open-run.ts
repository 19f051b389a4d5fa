import { describeCodeChange } from "../code/compare-code.ts";
import { MillraceError } from "../errors/errors.ts";
import type { ItemList } from "../plan/item-list.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { makeFolders } from "../run-folder/files/durable-files.ts";
import { requireFitFileSystem } from "../run-folder/files/require-fit-file-system.ts";
import { makeFolderInRun } from "../run-folder/files/run-files.ts";
import { type RunPaths, shardIdOf } from "../run-folder/files/run-paths.ts";
import { maxShards } from "../run-folder/run/check-plan.ts";
import {
  compareFingerprints,
  type Difference,
  type Fingerprint,
  type IdentityParts,
  makeFingerprint,
  makeUnmaskedFingerprint,
} from "../run-folder/run/fingerprint.ts";
import { foreignRun } from "../run-folder/run/foreign-run.ts";
import { removeFailure } from "../run-folder/run/last-failure.ts";
import { createManifest, type Manifest, readManifest, rewriteManifest } from "../run-folder/run/manifest.ts";
import { removeNotices } from "../run-folder/run/notices.ts";
import { writeSpec } from "../run-folder/run/run-spec.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import { withdrawStop } from "../run-folder/run/stop-order.ts";
import { looksSecret } from "../secrets/looks-secret.ts";
import { type ChangePolicy, type CodeComparison, firstCode, judgeCode } from "./judge-code.ts";
import { warnClearSecrets } from "./progress/warn-clear-secrets.ts";
import { type RunRequest, specOf } from "./run-request.ts";
import { startOver } from "./start-over.ts";

/** Opens the run in the folder or creates it; returns its plan. */
export function openRun(paths: RunPaths, items: ItemList, request: RunRequest<unknown>): Plan {
  const { options } = request.task;
  if (!options.resume) startOver(paths);
  makeFolders(paths.root);
  for (const folder of [paths.leases, paths.attempts, paths.workers]) makeFolderInRun(paths.root, folder);
  const identity = { ...request.identity.parts, items };
  const fingerprint = makeFingerprint(identity);
  let manifest = readManifest(paths);
  if (manifest === undefined && hasShards(paths)) {
    // Another driver may have begun the run, and committed a shard, since the first look.
    manifest = readManifest(paths);
    if (manifest === undefined) throw foreignShards(paths);
  }
  if (manifest === undefined) {
    const areShardsCostly = requireFitFileSystem(paths.machinery) >= costlyReadMs;
    manifest = begin(paths, items, { request, fingerprint, areShardsCostly });
  }
  if (fingerprint !== manifest.fingerprint) requireSameRun(paths, manifest, identity, policyOf(request));
  // Only now: a start that is refused leaves the run unchanged.
  withdrawStop(paths);
  removeFailure(paths);
  removeNotices(paths);
  const spec = specOf(request);
  warnClearSecrets(paths, spec, options.outputDir !== undefined);
  writeSpec(paths, spec);
  return manifest.plan;
}

// Where reading a small file takes that long, a shard takes about a quarter of a second longer.
const costlyReadMs = 20;

function begin(
  paths: RunPaths,
  items: ItemList,
  {
    request,
    fingerprint,
    areShardsCostly,
  }: { request: RunRequest<unknown>; fingerprint: Fingerprint; areShardsCostly: boolean },
): Manifest {
  const { shards, work } = request.task.options;
  const { nWorkers: workers } = request.parallel;
  const plan = makePlan(items, { shards, batchSize: work.batchSize, workers, areShardsCostly });
  if (plan.shardCount > maxShards) {
    throw new MillraceError("BAD_OPTION", `${plan.shardCount} shards are more than a folder can hold.`, {
      hint: "Ask for fewer with `shards`: some thousands are enough for any number of workers.",
    });
  }
  const code = firstCode(request.identity.code);
  if (createManifest(paths, { plan, fingerprint, code })) return { plan, fingerprint, code, created: "" };
  // Another driver has just created the same run: its plan is used.
  return readManifest(paths)!;
}

function hasShards(paths: RunPaths): boolean {
  return namesIn(paths.root).some((name) => shardIdOf(name) !== undefined);
}

function foreignShards(paths: RunPaths): MillraceError {
  return foreignRun(
    paths,
    `${paths.root} holds shards (split.N) but no manifest.json: whose is not known.`,
    "Choose another outputDir, restore manifest.json, or pass resume: false to delete the shards and start over.",
  );
}

/** What a start does about changes since the run was begun. */
export function policyOf({ identity: { code }, task: { options } }: RunRequest<unknown>): ChangePolicy {
  const { onCodeChange, acceptChange } = options;
  return { code, onCodeChange, acceptChange };
}

/** A resume must be the same run: the same runner, provider, config, params and items, and the same code. */
export function requireSameRun(
  paths: RunPaths,
  manifest: Manifest,
  identity: IdentityParts,
  policy: ChangePolicy,
): void {
  const fingerprint = makeFingerprint(identity);
  const isWrittenSo = compareFingerprints(manifest.fingerprint, fingerprint).length === 0;
  const differences = isWrittenSo
    ? []
    : compareFingerprints(manifest.fingerprint, fingerprint, makeUnmaskedFingerprint(identity));
  const areItemsChanged = differences.some(({ key }) => key === "items");
  const isRefused = differences.length > 0 && (areItemsChanged || !policy.acceptChange);
  const code = judgeCode(paths, manifest, policy);
  if (isRefused || code.kind === "refused") throw changed(paths, manifest, { differences, areItemsChanged, code });
  if (code.notice !== undefined) process.stderr.write(`millrace: ${code.notice}\n`);
  if (!isWrittenSo || code.versions !== manifest.code)
    rewriteManifest(paths, { ...manifest, fingerprint, code: code.versions });
}

interface Changes {
  readonly differences: readonly Difference[];
  readonly areItemsChanged: boolean;
  readonly code: CodeComparison;
}

function changed(paths: RunPaths, { plan }: Manifest, { differences, areItemsChanged, code }: Changes): MillraceError {
  const lines = differences
    .slice(0, 20)
    .map(({ key, before, after }) => `  ${key}: ${shown(key, before)} -> ${shown(key, after)}`);
  if (differences.length > lines.length) lines.push(`  … and ${differences.length - lines.length} more`);
  const parts = [
    ...(lines.length === 0 ? [] : [`The run in ${paths.root} was begun with something else:`, ...lines]),
    ...(code.kind === "fine"
      ? []
      : [
          `${lines.length === 0 ? `The code of the run in ${paths.root} has changed. ` : ""}${code.itemsDone} of its ${plan.items.count} items were made by other code:`,
          ...describeCodeChange(code.change).map((line) => `  ${line}`),
        ]),
  ];
  return new MillraceError("RUN_CHANGED", parts.join("\n"), { hint: hintFor(areItemsChanged, code) });
}

/** A part of a fingerprint without secrets: earlier versions wrote them into it. */
function shown(key: string, text: string | undefined): string {
  if (text === undefined) return "(none)";
  const isOpen = key.split(".").some(looksSecret) && text.startsWith('"') && !text.startsWith('"${');
  return isOpen ? "***" : text;
}

function hintFor(areItemsChanged: boolean, { kind }: CodeComparison): string {
  if (areItemsChanged)
    return "The plan of a run never changes: use another outputDir for other items, or resume: false to start over.";
  return kind === "refused"
    ? "Pass resume: false to compute everything with the new code, acceptChange: true to keep what is done and continue, or use another outputDir."
    : "Go back to the old values, pass acceptChange: true to keep what is done, or resume: false to start over.";
}
