import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeExit, noteExit, readAttemptEnd, wasSeen } from "./attempt-notes.ts";
import type { Sight } from "./file-step.ts";
import { type AttemptRecord, openHistory } from "./history.ts";
import { hostNameOf, parseLease } from "./lease.ts";
import type { RunPaths, Unit } from "./run-paths.ts";
import { parseReport, reportedMemory } from "./worker-report.ts";

/** An attempt that was taken from its worker: `sight` is the last that was seen of its lease. */
export interface FencedAttempt {
  readonly unit: Unit;
  readonly epoch: number;
  readonly sight: Sight;
}

/**
 * Describes an attempt whose worker cannot do so any more, from what its folder tells. Undefined where it is not known
 * whose it was: between making the folder and the lease nothing has been done.
 */
export function describeLost(paths: RunPaths, { unit, epoch, sight }: FencedAttempt): AttemptRecord | undefined {
  const lease = parseLease(sight.text);
  if (lease === undefined) return undefined;
  const folder = paths.fenced(unit, epoch);
  const { isReleased, item, exit } = readAttemptEnd(folder);
  const times = timesOf(folder);
  const seenLast = Math.max(times?.last ?? 0, Date.now() - sight.ageMs);
  const began = times?.began ?? seenLast;
  const report = parseReport(sight.text);
  const isOfThis = report !== undefined && report.shard === unit && report.epoch === epoch;
  const stuck = item?.stuckMs === undefined ? undefined : `an item took more than ${item.stuckMs} ms`;
  const how = isReleased ? "its driver was gone" : `the worker ${describeExit(exit)}`;
  return {
    unit,
    attempt: epoch,
    worker: lease.worker,
    host: hostNameOf(lease),
    began,
    // Who saw it end writes this at once; of others it is known when they last gave a sign of life.
    ended: Math.round(Math.max(began, wasSeen(exit) ? Date.now() : seenLast)),
    outcome: isReleased ? "released" : "lost",
    items: isOfThis ? Math.max(0, report.position - (report.from ?? 0)) : 0,
    failed: 0,
    reason: stuck ?? how,
  };
}

/** Writes a lost attempt down in the history of the worker that had it; that one is known to have ended. */
export function noteLost(paths: RunPaths, fenced: FencedAttempt): void {
  try {
    const record = describeLost(paths, fenced);
    if (record === undefined) return;
    const history = openHistory(paths, record.worker);
    history.add(record);
    history.close();
  } catch {
    // The history is only shown: nothing that happens to it may disturb those who work.
  }
}

/** Where the end of a worker was not seen, the memory it last reported is all that tells about it. */
export function noteLastMemory(paths: RunPaths, { unit, epoch, sight }: FencedAttempt): void {
  const memory = reportedMemory(sight.text);
  const folder = paths.fenced(unit, epoch);
  if (memory !== undefined && readAttemptEnd(folder).exit === undefined) noteExit(folder, { memory });
}

const mostFilesLookedAt = 32;

function timesOf(folder: string): { readonly began: number; readonly last: number } | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // Where a file system keeps no time of birth, the last change of a folder is soon after it: its files are made first.
  const began = stat.birthtimeMs > 0 ? Math.min(stat.birthtimeMs, stat.mtimeMs) : stat.mtimeMs;
  let last = stat.mtimeMs;
  for (const name of readdirSync(folder).slice(0, mostFilesLookedAt))
    last = Math.max(last, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return { began: Math.round(began), last };
}
