import { formatCount } from "../../driver/progress/progress-line.ts";
import { shardOf } from "../../plan/plan.ts";
import { type Claimable, type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import { describeExit, readAttemptEnd, wasSeen } from "../../run-folder/history/attempt-notes.ts";
import { groupAttempts, type KnownAttempts } from "../../run-folder/lease/attempts.ts";
import { isHeld, parseLease } from "../../run-folder/lease/lease.ts";
import { readSnapshot } from "../../run-folder/lease/take-file-step.ts";
import { changedCode } from "../../run-folder/run/changed-code.ts";
import { readFailure } from "../../run-folder/run/last-failure.ts";
import { readManifest } from "../../run-folder/run/manifest.ts";
import { isAtWork, isComplete } from "../../run-folder/run/run-state.ts";
import { fileSystemClock, type RunStatus, runStatus } from "../../run-folder/run/run-status.ts";
import { namesIn, scanShards } from "../../run-folder/run/scan-shards.ts";
import { isEndOrdered, stopReason } from "../../run-folder/run/stop-order.ts";
import { readCheckpoints } from "../../run-folder/shard/checkpoint.ts";
import { shellWord } from "../../text/shell-word.ts";
import { placeOfError } from "../place-of-error.ts";
import type { Finding } from "./finding.ts";

const maxShown = 20;

/** Reports which worker holds which shard, why shards wait, and what would be run again. */
export async function checkRun(runDir: string): Promise<Finding[]> {
  const paths = runPaths(runDir);
  const { plan } = readManifest(paths)!;
  const status = await runStatus(runDir);
  const { committed, damaged } = await scanShards(paths);
  const begun: Finding[] = [];
  const attempts = groupAttempts(namesIn(paths.attempts));
  for (const [target, attempt] of [...attempts].sort(([a], [b]) => Number(a) - Number(b))) {
    if (target !== "merge" && (committed.has(target) || damaged.has(target))) continue;
    const items = target === "merge" ? 0 : lengthOf(shardOf(plan, target));
    const detail = describeAttempt(paths, target, { attempt, items, status });
    if (detail !== undefined)
      begun.push({ state: "note", what: target === "merge" ? "merge" : `split.${target}`, detail });
  }
  const shards = [...attempts.keys()].filter(
    (target) => target !== "merge" && !committed.has(target) && !damaged.has(target),
  );
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
    ...begun.slice(0, maxShown),
    ...(begun.length > maxShown
      ? [{ state: "note", what: "run", detail: `${begun.length - maxShown} more shards were begun` } as const]
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
    note("it was cancelled", "Start it again with `millrace run`: that removes the order to stop.");
  const failure = state === "failed" ? readFailure(paths) : undefined;
  if (failure !== undefined) {
    const { reason, hint } = failure.error;
    const place = placeOfError(failure.error);
    note(`an error ended it: ${reason}${place === undefined ? "" : ` (${place})`}`, hint);
  }
  if (items.failed > 0)
    note(`${formatCount(items.failed)} items failed`, `millrace retry ${shellWord(paths.root)} runs them again.`);
  const waitFor = isAtWork(state) ? "they wait for a free worker" : "no process works on the run";
  if (untouched > 0) note(`${formatCount(untouched)} shards were not begun: ${waitFor}`);
  return findings;
}

function checkCode(changed: readonly string[]): Finding[] {
  if (changed.length === 0) return [];
  return [
    {
      state: "note",
      what: "code",
      detail: `it has changed since it made the outputs: ${changed.join(", ")}`,
      hint: "Start it with --accept-change to keep the finished work, or with --restart to compute everything with the new code.",
    },
  ];
}

interface AttemptView {
  readonly attempt: KnownAttempts;
  readonly items: number;
  readonly status: RunStatus;
}

function describeAttempt(paths: RunPaths, target: Claimable, view: AttemptView): string | undefined {
  const { active, fenced } = view.attempt;
  if (active !== undefined) return describeActive(paths, target, active, view);
  const newest = fenced.at(-1);
  if (newest === undefined || target === "merge") return undefined;
  const folder = paths.fenced(target, newest);
  return `${whyWaiting(folder)}; ${describeResume(folder, view.items)}`;
}

function describeActive(paths: RunPaths, target: Claimable, active: number, { items, status }: AttemptView): string {
  const now = () => nowIn(paths);
  const snapshot = readSnapshot(paths.lease(target, active), now) ?? readSnapshot(paths.attempt(target, active), now);
  const holder = snapshot === undefined ? undefined : parseLease(snapshot.text);
  const who = holder === undefined ? "an unknown process" : `process ${holder.pid} on ${holder.host.split("|")[0]}`;
  if (snapshot !== undefined && isHeld(snapshot, { ttlMs: holder?.ttlMs ?? 0 })) {
    const { position } = status.workers.find(({ worker }) => worker === holder?.worker) ?? {};
    const at = position === undefined || target === "merge" ? "" : `, at item ${position} of ${items}`;
    return `held by ${who}${at}, last heartbeat ${(snapshot.ageMs / 1000).toFixed(1)} s ago`;
  }
  return target === "merge"
    ? `${who}, which merged, is gone`
    : `${who} is gone; ${describeResume(paths.attempt(target, active), items)}`;
}

function whyWaiting(fencedDir: string): string {
  const { isReleased, releasedBecause, exit } = readAttemptEnd(fencedDir);
  if (isReleased)
    return `its worker released it: ${releasedBecause ?? "it was stopped or an item failed"}`.replace(/\.$/, "");
  return wasSeen(exit) ? `its worker ${describeExit(exit)}` : "it was taken over from a worker that died";
}

function describeResume(attemptDir: string, items: number): string {
  const [newest] = readCheckpoints(attemptDir);
  if (newest === undefined) return `no checkpoint: all its ${items} items are run again`;
  return `the next attempt continues at item ${newest.position} of ${items}`;
}

function nowIn(paths: RunPaths): number {
  return fileSystemClock(paths, { isReadOnly: true })();
}
