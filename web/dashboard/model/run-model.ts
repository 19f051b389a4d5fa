import {
  type AttemptView,
  mostAttempts,
  type Overview,
  type RatePoint,
  type Snapshot,
  type Update,
} from "../../../src/dashboard/run-view.ts";
import { makeShardBoard, type ShardBoard } from "./shard-board.ts";
import { thinRates } from "./thin-rates.ts";

/** All that is known of a run; a new object after every event, but for the board, which tells its changes itself. */
export interface RunModel {
  readonly overview: Overview;
  readonly board: ShardBoard;
  readonly attempts: readonly AttemptView[];
  readonly attemptsLeftOut: number;
  readonly rates: readonly RatePoint[];
  /** Since when each worker is seen on its shard, as `worker shard`: nothing else tells when an attempt in work began. */
  readonly seenSince: ReadonlyMap<string, number>;
}

const mostRates = 1200;

/** What a snapshot says; a board of the same size goes on, so that only what differs is drawn anew. */
export function takeSnapshot(snapshot: Snapshot, { before, now }: Moment): RunModel {
  const isSameMap = before?.board.size === snapshot.shards.length;
  const board = isSameMap ? before!.board : makeShardBoard(snapshot.shards);
  if (isSameMap) board.replace(snapshot.shards);
  const { overview, attempts, attemptsLeftOut, rates } = snapshot;
  return { overview, board, attempts, attemptsLeftOut, rates, seenSince: lookAtWorkers(overview, before, now) };
}

/** What is known after an update. */
export function takeUpdate(before: RunModel, update: Update, now: number): RunModel {
  before.board.change(update.shards);
  const attempts = update.attempts.length === 0 ? before.attempts : [...before.attempts, ...update.attempts];
  const surplus = Math.max(0, attempts.length - mostAttempts);
  return {
    overview: update.overview,
    board: before.board,
    attempts: surplus === 0 ? attempts : attempts.slice(surplus),
    attemptsLeftOut: before.attemptsLeftOut + surplus,
    rates: update.rates.length === 0 ? before.rates : thinRates([...before.rates, ...update.rates], mostRates),
    seenSince: lookAtWorkers(update.overview, before, now),
  };
}

interface Moment {
  readonly before: RunModel | undefined;
  readonly now: number;
}

function lookAtWorkers({ workers }: Overview, before: RunModel | undefined, now: number): Map<string, number> {
  return new Map(
    workers
      .filter(({ shard }) => shard !== null)
      .map(({ worker, shard }) => `${worker} ${shard}`)
      .map((key) => [key, before?.seenSince.get(key) ?? now]),
  );
}
