import {
  type AttemptView,
  maxAttempts,
  type Overview,
  type RatePoint,
  type Snapshot,
  type Update,
} from "../../../src/dashboard/run-view.ts";
import { makeShardBoard, type ShardBoard } from "./shard-board.ts";
import { thinRates } from "./thin-rates.ts";

/** The state of a run; a new object after every event, except the board, which reports its own changes. */
export interface RunModel {
  readonly overview: Overview;
  readonly board: ShardBoard;
  readonly attempts: readonly AttemptView[];
  readonly attemptsLeftOut: number;
  readonly rates: readonly RatePoint[];
  /**
   * When each worker was first seen on its shard, as `worker shard`: nothing else says when a current attempt began.
   */
  readonly seenSince: ReadonlyMap<string, number>;
}

const maxRates = 1200;

/** The state after a snapshot. A board of the same size is kept, so that only differences are redrawn. */
export function takeSnapshot(snapshot: Snapshot, { before, now }: Moment): RunModel {
  const isSameMap = before?.board.size === snapshot.shards.length;
  const board = isSameMap ? before!.board : makeShardBoard(snapshot.shards);
  if (isSameMap) board.replace(snapshot.shards);
  const { overview, attempts, attemptsLeftOut, rates } = snapshot;
  return { overview, board, attempts, attemptsLeftOut, rates, seenSince: recordFirstSeen(overview, before, now) };
}

/** The state after an update. */
export function takeUpdate(before: RunModel, update: Update, now: number): RunModel {
  before.board.change(update.shards);
  const attempts = update.attempts.length === 0 ? before.attempts : [...before.attempts, ...update.attempts];
  const surplus = Math.max(0, attempts.length - maxAttempts);
  return {
    overview: update.overview,
    board: before.board,
    attempts: surplus === 0 ? attempts : attempts.slice(surplus),
    attemptsLeftOut: before.attemptsLeftOut + surplus,
    rates: update.rates.length === 0 ? before.rates : thinRates([...before.rates, ...update.rates], maxRates),
    seenSince: recordFirstSeen(update.overview, before, now),
  };
}

interface Moment {
  readonly before: RunModel | undefined;
  readonly now: number;
}

function recordFirstSeen({ workers }: Overview, before: RunModel | undefined, now: number): Map<string, number> {
  return new Map(
    workers
      .filter(({ shard }) => shard !== null)
      .map(({ worker, shard }) => `${worker} ${shard}`)
      .map((key) => [key, before?.seenSince.get(key) ?? now]),
  );
}
