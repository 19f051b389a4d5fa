import { formatCount } from "../../drive/progress-line.ts";
import { shardOf } from "../../plan/plan.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { describeExit, readAttemptEnd, wasSeen } from "../../store/attempt-notes.ts";
import { groupAttempts, type UnitAttempts } from "../../store/attempts.ts";
import { changedCode } from "../../store/changed-code.ts";
import { readCheckpoints } from "../../store/checkpoint.ts";
import { readFailure } from "../../store/last-failure.ts";
import { isHeld, parseLease } from "../../store/lease.ts";
import { readManifest } from "../../store/manifest.ts";
import { type RunPaths, runPaths, type Unit } from "../../store/run-paths.ts";
import { isComplete, type RunStatus, runStatus } from "../../store/run-status.ts";
import { namesIn, scanShards } from "../../store/scan-shards.ts";
import { isEndOrdered, stopReason } from "../../store/stop-order.ts";
import { fileSystemNow, lookAt } from "../../store/take-file-step.ts";
import { placeOfError } from "../place-of-error.ts";
import type { Finding } from "./finding.ts";

const mostShown = 20;

/** Who holds which shard, why shards wait, and what would be run again. */
export async function checkRun(runDir: string): Promise<Finding[]> {
  const paths = runPaths(runDir);
  const { plan } = readManifest(paths)!;
  const status = await runStatus(runDir);
  const { committed, damaged } = await scanShards(paths);
  const begun: Finding[] = [];
  const attempts = groupAttempts(namesIn(paths.attempts));
  for (const [unit, attempt] of [...attempts].sort(([a], [b]) => Number(a) - Number(b))) {
    if (unit !== "merge" && (committed.has(unit) || damaged.has(unit))) continue;
    const items = unit === "merge" ? 0 : lengthOf(shardOf(plan, unit));
    const detail = describeAttempt(paths, unit, { attempt, items, status });
    if (detail !== undefined) begun.push({ state: "note", what: unit === "merge" ? "merge" : `split.${unit}`, detail });
  }
  const shards = [...attempts.keys()].filter((unit) => unit !== "merge" && !committed.has(unit) && !damaged.has(unit));
  const untouched = plan.shardCount - committed.size - damaged.size - shards.length;
  return [
    ...checkWhole(paths, status, untouched),
    ...checkCode(await changedCode(runDir)),
    ...[...damaged].map(
      ([id, detail]): Finding => ({
        state: "wrong",
        what: `split.${id}`,
        detail,
        hint: `Its ${lengthOf(shardOf(plan, id))} items are run again at the next start.`,
      }),
    ),
    ...begun.slice(0, mostShown),
    ...(begun.length > mostShown
      ? [{ state: "note", what: "run", detail: `${begun.length - mostShown} more shards were begun` } as const]
      : []),
  ];
}

function lengthOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return to - from;
}

function checkWhole(paths: RunPaths, { state, shards, items, workers }: RunStatus, untouched: number): Finding[] {
  const findings: Finding[] = [
    {
      state: "fine",
      what: "run",
      detail: `${state}, ${formatCount(shards.committed)} of ${formatCount(shards.total)} shards committed, ${workers.length} workers`,
    },
  ];
  const note = (detail: string, hint?: string) =>
    findings.push({ state: "note", what: "run", detail, ...(hint === undefined ? {} : { hint }) });
  if (isEndOrdered(paths) && stopReason(paths) === undefined && !isComplete(state))
    note("it was cancelled", "Start it again with `millrace run`: that withdraws it.");
  const failure = state === "failed" ? readFailure(paths) : undefined;
  if (failure !== undefined) {
    const { reason, hint } = failure.error;
    const place = placeOfError(failure.error);
    note(`an error ended it: ${reason}${place === undefined ? "" : ` (${place})`}`, hint);
  }
  if (items.failed > 0)
    note(`${formatCount(items.failed)} items failed`, `millrace retry ${shellWord(paths.root)} runs them again.`);
  const waitFor = state === "running" ? "they wait for a free worker" : "nobody works on the run";
  if (untouched > 0) note(`${formatCount(untouched)} shards were not begun: ${waitFor}`);
  return findings;
}

function checkCode(changed: readonly string[]): Finding[] {
  if (changed.length === 0) return [];
  return [
    {
      state: "note",
      what: "code",
      detail: `not the code that made the outputs: ${changed.join(", ")}`,
      hint: "Start it with --accept-change to keep what is done, or with --restart to compute everything with the new code.",
    },
  ];
}

interface AttemptView {
  readonly attempt: UnitAttempts;
  readonly items: number;
  readonly status: RunStatus;
}

function describeAttempt(paths: RunPaths, unit: Unit, view: AttemptView): string | undefined {
  const { active, fenced } = view.attempt;
  if (active !== undefined) return describeActive(paths, unit, active, view);
  const newest = fenced.at(-1);
  if (newest === undefined || unit === "merge") return undefined;
  const folder = paths.fenced(unit, newest);
  return `${whyWaiting(folder)}; ${goesOn(folder, view.items)}`;
}

function describeActive(paths: RunPaths, unit: Unit, active: number, { items, status }: AttemptView): string {
  const now = () => nowIn(paths);
  const sight = lookAt(paths.lease(unit, active), now) ?? lookAt(paths.attempt(unit, active), now);
  const holder = sight === undefined ? undefined : parseLease(sight.text);
  const who = holder === undefined ? "someone" : `process ${holder.pid} on ${holder.host.split("|")[0]}`;
  if (sight !== undefined && isHeld(sight, { ttlMs: holder?.ttlMs ?? 0 })) {
    const { position } = status.workers.find(({ worker }) => worker === holder?.worker) ?? {};
    const at = position === undefined || unit === "merge" ? "" : `, at item ${position} of ${items}`;
    return `held by ${who}${at}, last sign of life ${(sight.ageMs / 1000).toFixed(1)} s ago`;
  }
  return unit === "merge"
    ? `${who}, who merged, is gone`
    : `${who} is gone; ${goesOn(paths.attempt(unit, active), items)}`;
}

function whyWaiting(fencedDir: string): string {
  const { isReleased, releasedBecause, exit } = readAttemptEnd(fencedDir);
  if (isReleased)
    return `its worker gave it back: ${releasedBecause ?? "it was stopped or an item failed"}`.replace(/\.$/, "");
  return wasSeen(exit) ? `its worker ${describeExit(exit)}` : "it was taken from a worker that was gone";
}

function goesOn(attemptDir: string, items: number): string {
  const [newest] = readCheckpoints(attemptDir);
  if (newest === undefined) return `no checkpoint: all its ${items} items are run again`;
  return `the next attempt goes on from item ${newest.position} of ${items}`;
}

// Whoever may only read the folder has no clock but their own.
function nowIn(paths: RunPaths): number {
  try {
    return fileSystemNow(paths.leases);
  } catch {
    return Date.now();
  }
}
