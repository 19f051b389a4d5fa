import { join } from "node:path";
import type { Claimable, RunPaths } from "../files/run-paths.ts";
import { readdirSync, statSync } from "../files/store-calls.ts";
import { parseReport, reportedMemory } from "../files/worker-report.ts";
import { describeExit, noteExit, readAttemptEnd, wasSeen } from "../history/attempt-notes.ts";
import { type AttemptRecord, openHistory } from "../history/history.ts";
import type { FileSnapshot } from "./file-step.ts";
import { hostNameOf, parseLease } from "./lease.ts";

/** An attempt that lost its right to commit. `snapshot`: its lease when it was last read. */
export interface FencedAttempt {
  readonly target: Claimable;
  readonly attempt: number;
  readonly snapshot: FileSnapshot;
}

/**
 * Describes an attempt whose worker is gone, from the notes in its folder. Undefined if it had no lease: then its
 * worker is not known, and it has done nothing.
 */
export function describeLost(paths: RunPaths, { target, attempt, snapshot }: FencedAttempt): AttemptRecord | undefined {
  const lease = parseLease(snapshot.text);
  if (lease === undefined) return undefined;
  const folder = paths.fenced(target, attempt);
  const { isReleased, item, exit } = readAttemptEnd(folder);
  const times = timesOf(folder);
  const seenLast = Math.max(times?.last ?? 0, Date.now() - snapshot.ageMs);
  const began = times?.began ?? seenLast;
  const report = parseReport(snapshot.text);
  const isSameAttempt = report !== undefined && report.shard === target && report.epoch === attempt;
  const stuck = item?.stuckMs === undefined ? undefined : `an item took more than ${item.stuckMs} ms`;
  const how = isReleased ? "its driver was gone" : `the worker ${describeExit(exit)}`;
  return {
    unit: target,
    attempt,
    worker: lease.worker,
    host: hostNameOf(lease),
    began,
    // If the end was seen, it was just now; otherwise the last heartbeat counts.
    ended: Math.round(Math.max(began, wasSeen(exit) ? Date.now() : seenLast)),
    outcome: isReleased ? "released" : "lost",
    items: isSameAttempt ? Math.max(0, report.position - (report.from ?? 0)) : 0,
    failed: 0,
    reason: stuck ?? how,
  };
}

/** Writes a lost attempt into the history of its worker, which is known to have ended. */
export function noteLost(paths: RunPaths, fenced: FencedAttempt): void {
  try {
    const record = describeLost(paths, fenced);
    if (record === undefined) return;
    const history = openHistory(paths, record.worker);
    history.add(record);
    history.close();
  } catch {
    // Only displays read the history: an error in it must not stop a worker.
  }
}

/** Notes the last reported memory of a worker whose end was not seen: it is the only evidence. */
export function noteLastMemory(paths: RunPaths, { target, attempt, snapshot }: FencedAttempt): void {
  const memory = reportedMemory(snapshot.text);
  const folder = paths.fenced(target, attempt);
  if (memory !== undefined && readAttemptEnd(folder).exit === undefined) noteExit(folder, { memory }, paths);
}

const maxFilesRead = 32;

function timesOf(folder: string): { readonly began: number; readonly last: number } | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // On a file system without creation times, the last change of the folder is close to it: its files are made first.
  const began = stat.birthtimeMs > 0 ? Math.min(stat.birthtimeMs, stat.mtimeMs) : stat.mtimeMs;
  let last = stat.mtimeMs;
  for (const name of readdirSync(folder).slice(0, maxFilesRead))
    last = Math.max(last, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return { began: Math.round(began), last };
}
