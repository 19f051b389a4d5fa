import { shardOf } from "../../plan/plan.ts";
import { groupAttempts } from "../../store/attempts.ts";
import { readCheckpoints } from "../../store/checkpoint.ts";
import { isHeld, parseLease } from "../../store/lease.ts";
import { readManifest } from "../../store/manifest.ts";
import { type RunPaths, runPaths } from "../../store/run-paths.ts";
import { namesIn, scanShards } from "../../store/scan-shards.ts";
import { isStopOrdered } from "../../store/stop-order.ts";
import { fileSystemNow, lookAt } from "../../store/take-file-step.ts";
import type { Finding } from "./finding.ts";

const mostShown = 20;

/** Who holds which shard, why shards wait, and what would be run again. */
export async function checkRun(runDir: string): Promise<Finding[]> {
  const paths = runPaths(runDir);
  const { plan } = readManifest(paths)!;
  const { committed, damaged } = await scanShards(paths);
  const findings: Finding[] = [
    { state: "fine", what: "run", detail: `${committed.size} of ${plan.shardCount} shards committed` },
  ];
  if (isStopOrdered(paths))
    findings.push({ state: "note", what: "run", detail: "it was cancelled; starting it again withdraws that" });
  for (const [id, reason] of damaged)
    findings.push({
      state: "wrong",
      what: `split.${id}`,
      detail: reason,
      hint: "It is computed anew at the next start.",
    });
  const waiting: Finding[] = [];
  const attempts = groupAttempts(namesIn(paths.attempts));
  for (let id = 0; id < plan.shardCount && waiting.length <= mostShown; id++) {
    const attempt = attempts.get(id);
    if (committed.has(id) || attempt === undefined) continue;
    const { from, to } = shardOf(plan, id);
    waiting.push({ state: "note", what: `split.${id}`, detail: describeAttempt(paths, id, attempt, to - from) });
  }
  const untouched = plan.shardCount - committed.size - damaged.size - waiting.length;
  if (untouched > 0 && waiting.length <= mostShown)
    waiting.push({ state: "note", what: "run", detail: `${untouched} shards were not begun` });
  return [...findings, ...waiting.slice(0, mostShown)];
}

function describeAttempt(
  paths: RunPaths,
  id: number,
  { active, fenced }: { active: number | undefined; fenced: readonly number[] },
  items: number,
): string {
  if (active !== undefined) {
    const now = () => fileSystemNow(paths.leases);
    const sight = lookAt(paths.lease(id, active), now) ?? lookAt(paths.attempt(id, active), now);
    const holder = sight === undefined ? undefined : parseLease(sight.text);
    const who = holder === undefined ? "someone" : `process ${holder.pid} on ${holder.host.split("|")[0]}`;
    if (sight !== undefined && isHeld(sight, { ttlMs: holder?.ttlMs ?? 0 }))
      return `held by ${who}, last sign of life ${(sight.ageMs / 1000).toFixed(1)} s ago`;
    return `${who} is gone; ${goesOn(paths.attempt(id, active), items)}`;
  }
  const newest = fenced.at(-1);
  return newest === undefined ? "waits" : `was given back or taken away; ${goesOn(paths.fenced(id, newest), items)}`;
}

function goesOn(attemptDir: string, items: number): string {
  const [newest] = readCheckpoints(attemptDir);
  return newest === undefined
    ? `no checkpoint: all its ${items} items are run again`
    : `the next attempt goes on from item ${newest.position} of ${items}`;
}
