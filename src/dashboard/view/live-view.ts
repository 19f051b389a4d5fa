import { statSync } from "node:fs";
import { type Plan, shardOf } from "../../plan/plan.ts";
import { type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import type { AttemptRecord } from "../../run-folder/history/history.ts";
import { openHistoryTail } from "../../run-folder/history/read-history.ts";
import { type ObservedJobs, readJobQueueStatus } from "../../run-folder/jobs/job-queue-status.ts";
import { groupAttempts } from "../../run-folder/lease/attempts.ts";
import { sumCallCounts } from "../../run-folder/run/call-counts.ts";
import { requireManifest } from "../../run-folder/run/manifest.ts";
import { isUnderWay } from "../../run-folder/run/run-state.ts";
import {
  describeWorker,
  fileSystemClock,
  type LiveReport,
  stateOf,
  workerReports,
} from "../../run-folder/run/run-status.ts";
import { namesIn } from "../../run-folder/run/scan-shards.ts";
import { isDrainOrdered, isStopOrdered } from "../../run-folder/run/stop-order.ts";
import { sleep } from "../../runtime/sleep.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import type { AttemptView, Overview, RatePoint, ShardLetter, Snapshot, WorkerView } from "../run-view.ts";
import { openAttemptLog } from "./attempt-log.ts";
import { inspectShards } from "./inspect-shards.ts";
import { openRateBuckets, type WorkSpan } from "./rate-buckets.ts";
import { openShardMap } from "./shard-map.ts";

/** The changes of a refresh. */
interface ViewChange {
  readonly shards: readonly (readonly [shard: number, letter: ShardLetter])[];
  readonly attempts: readonly AttemptView[];
}

/** The state of a run for display. It is listed completely once; after that mostly the workers' reports are read. */
export interface LiveView {
  readonly paths: RunPaths;
  readonly plan: Plan;
  /** Undefined if another run was started in the folder: this view is then obsolete. */
  refresh(): Promise<ViewChange | undefined>;
  overview(): Overview;
  snapshot(): Snapshot;
  /** Items per second at this moment. */
  rateNow(): RatePoint;
  /** Shards with failed items and their number, in order. */
  failures(): readonly (readonly [shard: number, failed: number])[];
  letter(shard: number): ShardLetter;
  workers(): readonly LiveReport[];
}

// A listing finds what no history contains: shards of other versions, and deleted ones.
const listEveryMs = 3000;
const lookAgainMs = 500;
const clockEveryMs = 600_000;
// Clocks of hosts differ; times that are further off are ignored.
const clockErrorMs = 3_600_000;

/** Opens the view of a run. Long reads yield to other requests. */
export async function openLiveView(
  runDir: string,
  now: () => number = Date.now,
  seenJobs: () => ObservedJobs | undefined = () => undefined,
): Promise<LiveView> {
  const paths = runPaths(runDir);
  const { plan, created } = requireManifest(paths);
  const createdMs = Date.parse(created) || null;
  const identity = identityOf(paths);
  const map = openShardMap(plan.shardCount);
  const attempts = openAttemptLog();
  const rates = openRateBuckets();
  const history = openHistoryTail(paths);
  let clock = fileSystemClock(paths);
  let clockSetMs = now();
  let live: readonly LiveReport[] = [];
  let silent: readonly LiveReport[] = [];
  let listed = { mtimeMs: Number.NaN, atMs: Number.NEGATIVE_INFINITY, isSettled: false };
  let unreported: ReadonlySet<number> | undefined;
  let shown: Overview;

  readWorkers();
  // While workers are active, their reports are trusted; otherwise every shard is inspected.
  await readHistory({ isTrusted: live.length > 0 });
  for (const [unit, { fenced }] of groupAttempts(namesIn(paths.attempts)))
    if (unit !== "merge" && fenced.length > 0) map.fence(unit);
  // On a shared file system a file can be visible before its last bytes.
  if ((await list()) > 0) {
    await sleep(lookAgainMs);
    await list();
  }
  map.hold(heldShards());
  shown = look();
  map.takeChanges();
  attempts.takeNew();

  return {
    paths,
    plan,
    async refresh() {
      if (identityOf(paths) !== identity) return undefined;
      readWorkers();
      await readHistory({ isTrusted: true });
      await listIfChanged();
      map.hold(heldShards());
      shown = look();
      return { shards: map.takeChanges(), attempts: attempts.takeNew() };
    },
    overview: () => shown,
    snapshot: () => ({
      overview: shown,
      shards: map.text(),
      attempts: attempts.newest(),
      attemptsLeftOut: attempts.leftOut(),
      rates: rates.points(now(), live.flatMap(spanOf)),
    }),
    rateNow: () => ({ at: now(), itemsPerSecond: shown.itemsPerSecond }),
    failures: map.failures,
    letter: map.letter,
    workers: () => live,
  };

  function readWorkers(): void {
    if (now() - clockSetMs > clockEveryMs) {
      clock = fileSystemClock(paths);
      clockSetMs = now();
    }
    ({ live, silent } = workerReports(paths, clock));
    map.hold(heldShards());
  }

  function heldShards(): Set<number> {
    return new Set(live.flatMap(({ report }) => (report.shard >= 0 ? [report.shard] : [])));
  }

  async function readHistory({ isTrusted: isBelieved }: { readonly isTrusted: boolean }): Promise<void> {
    const names = new Set(live.map(({ report }) => report.worker));
    await history.read(
      (record) => {
        attempts.add(record);
        if (isPlausible(record)) rates.add(record);
        if (record.unit === "merge") return;
        if (record.outcome !== "committed") map.fence(record.unit);
        else if (isBelieved && record.counts !== undefined) map.commit(record.unit, record.attempt, record.counts);
      },
      (worker) => names.has(worker),
      yieldToEventLoop,
    );
  }

  function isPlausible({ began, ended }: AttemptRecord): boolean {
    return began > (createdMs ?? 0) - clockErrorMs && ended < now() + clockErrorMs;
  }

  async function listIfChanged(): Promise<void> {
    if (now() - listed.atMs < listEveryMs) return;
    const isChanged = statSync(paths.root).mtimeMs !== listed.mtimeMs;
    if (isChanged || !listed.isSettled || map.sums.damaged > 0) await list();
    else listed = { ...listed, atMs: now() };
  }

  async function list(): Promise<number> {
    // Before the listing: changes during the listing are found by the next one.
    const { mtimeMs } = statSync(paths.root);
    // A new commit is usually reported in a moment: the shard is opened only if it is still unreported at the next
    // listing.
    const before = live.length > 0 ? unreported : undefined;
    const isOpened = (shard: number) => before?.has(shard) ?? true;
    const { damaged, ...look } = await inspectShards(paths, map, { pause: yieldToEventLoop, isOpened });
    unreported = look.unreported;
    // File system clocks are coarse: a change right after a listing may have a time before it.
    listed = { mtimeMs, atMs: now(), isSettled: mtimeMs === listed.mtimeMs && unreported.size === 0 };
    return damaged;
  }

  function look(): Overview {
    const { committed, damaged, ...done } = map.sums;
    const total = plan.items.count;
    let doneNow = done.done;
    let itemsPerSecond = 0;
    for (const { report } of live) {
      if (report.shard >= 0 && map.letter(report.shard) === "r") doneNow += report.position;
      itemsPerSecond += report.itemsPerSecond;
    }
    const seen = seenJobs();
    const jobs = readJobQueueStatus(paths, seen);
    const calls = sumCallCounts(live.map(({ report }) => report));
    const left = total - doneNow;
    const { failed } = done;
    const { state, failure, stalled } = stateOf(paths, { left, failed, jobs, reports: { live, silent } });
    const stopping = !isUnderWay(state)
      ? null
      : isStopOrdered(paths)
        ? "cancel"
        : isDrainOrdered(paths)
          ? "drain"
          : null;
    return {
      runDir: paths.root,
      state,
      failure: failure ?? null,
      ...(stalled === undefined ? {} : { stalled }),
      stopping,
      items: { total, ...done, done: doneNow },
      shards: { total: plan.shardCount, committed, damaged },
      itemsPerSecond,
      etaSeconds: itemsPerSecond > 0 ? left / itemsPerSecond : null,
      ...(calls === undefined ? {} : { calls }),
      jobs: jobs ?? null,
      ...(seen === undefined || seen.problems.length === 0 ? {} : { jobProblems: seen.problems }),
      workers: live
        .filter(({ report }) => report.role !== "driver")
        .map((one) => viewWorker(one, (shard) => sizeOf(shard))),
      began: createdMs ?? attempts.began,
      ended: attempts.ended ?? mergedMs(paths),
    };
  }

  function sizeOf(shard: number): number {
    if (shard < 0 || shard >= plan.shardCount) return 0;
    const { from, to } = shardOf(plan, shard);
    return to - from;
  }

  /** What a worker has done of its current shard, which is in no history yet. */
  function spanOf({ report }: LiveReport): WorkSpan[] {
    const { shard, position, from = 0, since } = report;
    return shard < 0 || since === undefined ? [] : [{ began: since, ended: now(), items: position - from }];
  }
}

/** Distinguishes a run from a later one in the same folder. */
function identityOf(paths: RunPaths): string {
  const stat = statSync(paths.manifest, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs}`;
}

function mergedMs(paths: RunPaths): number | null {
  return statSync(paths.merged, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** A worker's report for display. */
function viewWorker(live: LiveReport, itemsOf: (shard: number) => number): WorkerView {
  const { shard, rss, ...rest } = describeWorker(live);
  return { ...rest, shard: shard ?? null, shardItems: shard === undefined ? 0 : itemsOf(shard), rss: rss ?? null };
}
