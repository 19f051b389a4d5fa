import { statSync } from "node:fs";
import { type Plan, shardOf } from "../../plan/plan.ts";
import { sleep } from "../../shared/sleep.ts";
import { yieldToEventLoop } from "../../shared/yield-to-event-loop.ts";
import { groupAttempts } from "../../store/attempts.ts";
import type { AttemptRecord } from "../../store/history.ts";
import { readJobSight } from "../../store/job-sight.ts";
import { requireManifest } from "../../store/manifest.ts";
import { openHistoryTail } from "../../store/read-history.ts";
import { type RunPaths, runPaths } from "../../store/run-paths.ts";
import { fileSystemClock, isUnderWay, type LiveReport, liveReports, stateOf } from "../../store/run-status.ts";
import { namesIn } from "../../store/scan-shards.ts";
import { isDrainOrdered, isStopOrdered } from "../../store/stop-order.ts";
import type { AttemptView, Overview, RatePoint, ShardLetter, Snapshot } from "../run-view.ts";
import { openAttemptLog } from "./attempt-log.ts";
import { lookAtShards } from "./look-at-shards.ts";
import { openRateBuckets, type WorkSpan } from "./rate-buckets.ts";
import { openShardMap } from "./shard-map.ts";
import { viewWorker } from "./view-worker.ts";

/** What has become known with a refresh. */
interface ViewChange {
  readonly shards: readonly (readonly [shard: number, letter: ShardLetter])[];
  readonly attempts: readonly AttemptView[];
}

/** A run as it is shown. It is listed as a whole once; after that mostly what its workers tell is read. */
export interface LiveView {
  readonly paths: RunPaths;
  readonly plan: Plan;
  /** Undefined where another run was begun in the folder: then this view is of no use any more. */
  refresh(): Promise<ViewChange | undefined>;
  overview(): Overview;
  snapshot(): Snapshot;
  /** Items per second at this moment. */
  rateNow(): RatePoint;
  /** Shards with failed items and how many, in order. */
  failures(): readonly (readonly [shard: number, failed: number])[];
  letter(shard: number): ShardLetter;
  workers(): readonly LiveReport[];
}

// A listing finds what no history tells: shards of other versions, and those that somebody has deleted.
const listEveryMs = 3000;
const lookAgainMs = 500;
const clockEveryMs = 600_000;
// Clocks of hosts differ; those that are further off say nothing about when something was done.
const clockErrorMs = 3_600_000;

/** Opens the view of a run. What has to be looked at is, in turns, so that others are served meanwhile. */
export async function openLiveView(runDir: string, now: () => number = Date.now): Promise<LiveView> {
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
  let listed = { mtimeMs: Number.NaN, atMs: Number.NEGATIVE_INFINITY, isSettled: false };
  let untold: ReadonlySet<number> | undefined;
  let shown: Overview;

  lookAtWorkers();
  // While somebody works, what the workers tell is believed; at rest every shard is looked into.
  await readHistory({ isBelieved: live.length > 0 });
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
      lookAtWorkers();
      await readHistory({ isBelieved: true });
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

  function lookAtWorkers(): void {
    if (now() - clockSetMs > clockEveryMs) {
      clock = fileSystemClock(paths);
      clockSetMs = now();
    }
    live = liveReports(paths, clock);
    map.hold(heldShards());
  }

  function heldShards(): Set<number> {
    return new Set(live.flatMap(({ report }) => (report.shard >= 0 ? [report.shard] : [])));
  }

  async function readHistory({ isBelieved }: { readonly isBelieved: boolean }): Promise<void> {
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
    // Before the listing: what is made while it goes on is found by the next one.
    const { mtimeMs } = statSync(paths.root);
    // What has just been committed is told of in a moment: it is opened only if it still was not at the next listing.
    const before = live.length > 0 ? untold : undefined;
    const isOpened = (shard: number) => before?.has(shard) ?? true;
    const { damaged, ...look } = await lookAtShards(paths, map, { pause: yieldToEventLoop, isOpened });
    untold = look.untold;
    // Clocks of file systems tick slowly: what came right after a listing may bear the time from before it.
    listed = { mtimeMs, atMs: now(), isSettled: mtimeMs === listed.mtimeMs && untold.size === 0 };
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
    const jobs = readJobSight(paths);
    const left = total - doneNow;
    const { failed } = done;
    const { state, failure } = stateOf(paths, { left, failed, jobs, isSomeoneThere: live.length > 0 });
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
      stopping,
      items: { total, ...done, done: doneNow },
      shards: { total: plan.shardCount, committed, damaged },
      itemsPerSecond,
      etaSeconds: itemsPerSecond > 0 ? left / itemsPerSecond : null,
      jobs: jobs ?? null,
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

  /** What a worker has done of its shard so far; it is in no history yet. */
  function spanOf({ report }: LiveReport): WorkSpan[] {
    const { shard, position, from = 0, since } = report;
    return shard < 0 || since === undefined ? [] : [{ began: since, ended: now(), items: position - from }];
  }
}

/** What tells one run in a folder from another that was begun there later. */
function identityOf(paths: RunPaths): string {
  const stat = statSync(paths.manifest, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs}`;
}

function mergedMs(paths: RunPaths): number | null {
  return statSync(paths.merged, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
