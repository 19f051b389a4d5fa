import { existsSync } from "node:fs";
import type { Segment } from "../../plan/item-list.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import type { Fingerprint } from "../../run-folder/run/fingerprint.ts";
import { requireManifest } from "../../run-folder/run/manifest.ts";
import { type ClassReference, hasReadableSpec, readSpec } from "../../run-folder/run/run-spec.ts";
import { redactSecrets } from "../../values/redact-secrets.ts";
import type { PlanView } from "../run-view.ts";

/** The plan of a run and how it is carried out, as a user would write it. */
export async function viewPlan(paths: RunPaths): Promise<PlanView> {
  const { plan, fingerprint } = requireManifest(paths);
  const shape = { items: plan.items.count, shards: plan.shardCount, ...shardSizes(plan.bounds) };
  if (isHidden(paths)) return { ...shape, ...unseen(fingerprint) };
  const spec = readSpec(paths);
  const { stringify } = await import("yaml");
  const yaml = (value: unknown) => (isEmpty(value) ? "" : stringify(redactSecrets(value), { lineWidth: 0 }));
  return {
    ...shape,
    runner: nameOf(spec.runner),
    provider: nameOf(spec.provider),
    cwd: spec.cwd,
    config: yaml(spec.config),
    params: yaml(spec.params),
    options: yaml(spec.runnerOptions),
    parallel: yaml(spec.parallel),
  };
}

/** True if the spec exists and belongs to another user. */
function isHidden(paths: RunPaths): boolean {
  return existsSync(paths.spec) && !hasReadableSpec(paths);
}

function unseen({
  runner = "",
  provider = "",
}: Fingerprint): Omit<PlanView, "items" | "shards" | "smallestShard" | "largestShard"> {
  const cwd = "(only the owner of the run may read its spec.json)";
  return { runner, provider, cwd, config: "", params: "", options: "", parallel: "" };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function nameOf({ module, name }: ClassReference): string {
  return module === undefined ? name : `${name} (${module})`;
}

/** Shard bounds are segments: their steps give the sizes, however many shards there are. */
function shardSizes(bounds: readonly Segment[]): Pick<PlanView, "smallestShard" | "largestShard"> {
  const sizes: number[] = [];
  let before: number | undefined;
  for (const [start, step, count] of bounds) {
    if (before !== undefined) sizes.push(start - before);
    if (count > 1) sizes.push(step);
    before = start + (count - 1) * step;
  }
  return sizes.length === 0
    ? { smallestShard: 0, largestShard: 0 }
    : { smallestShard: sizes.reduce((a, b) => Math.min(a, b)), largestShard: sizes.reduce((a, b) => Math.max(a, b)) };
}
