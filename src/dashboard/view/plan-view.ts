import type { Segment } from "../../plan/item-list.ts";
import { requireManifest } from "../../store/manifest.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { type ClassReference, readSpec } from "../../store/run-spec.ts";
import type { PlanView } from "../run-view.ts";

/** The plan of a run and how it is carried out, as a user would write it. */
export async function viewPlan(paths: RunPaths): Promise<PlanView> {
  const { plan } = requireManifest(paths);
  const spec = readSpec(paths);
  const { stringify } = await import("yaml");
  const yaml = (value: unknown) => (isEmpty(value) ? "" : stringify(value, { lineWidth: 0 }));
  return {
    items: plan.items.count,
    shards: plan.shardCount,
    ...shardSizes(plan.bounds),
    runner: nameOf(spec.runner),
    provider: nameOf(spec.provider),
    cwd: spec.cwd,
    config: yaml(spec.config),
    params: yaml(spec.params),
    options: yaml(spec.runnerOptions),
    parallel: yaml(spec.parallel),
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function nameOf({ module, name }: ClassReference): string {
  return module === undefined ? name : `${name} (${module})`;
}

/** The ends of the shards are segments: their distances tell the sizes, however many shards there are. */
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
