import { describe, expect, it } from "vitest";
import { type AttemptView, maxAttempts, type Snapshot, type Update } from "../../../src/dashboard/run-view.ts";
import { takeSnapshot, takeUpdate } from "../../../web/dashboard/model/run-model.ts";
import { makeShardBoard } from "../../../web/dashboard/model/shard-board.ts";
import { thinRates } from "../../../web/dashboard/model/thin-rates.ts";

const overview = (workers: object[] = []) => ({ workers }) as unknown as Snapshot["overview"];
const snapshot = (shards: string, more: Partial<Snapshot> = {}): Snapshot => ({
  overview: overview(),
  shards,
  attempts: [],
  attemptsLeftOut: 0,
  rates: [],
  ...more,
});
const update = (more: Partial<Update>): Update => ({
  overview: overview(),
  shards: [],
  attempts: [],
  rates: [],
  ...more,
});

describe("a board", () => {
  it("says which shards have changed, and counts the states", () => {
    const board = makeShardBoard("..rc");
    const heard: (readonly number[])[] = [];
    const stop = board.listen((changed) => heard.push(changed));
    board.change([
      [0, "r"],
      [3, "c"],
      [9, "c"],
    ]);
    board.change([[0, "r"]]);
    expect(heard).toEqual([[0]]);
    expect([board.countOf("."), board.countOf("r"), board.countOf("d")]).toEqual([1, 2, 0]);
    stop();
    board.change([[1, "d"]]);
    expect([heard.length, board.letterOf(1)]).toEqual([1, "d"]);
  });
});

describe("takeSnapshot", () => {
  it("updates the board of the same run from what differs alone", () => {
    const before = takeSnapshot(snapshot("..r"), { before: undefined, now: 0 });
    const heard: (readonly number[])[] = [];
    before.board.listen((changed) => heard.push(changed));
    const after = takeSnapshot(snapshot(".cc"), { before, now: 0 });
    expect(after.board).toBe(before.board);
    expect(heard).toEqual([[1, 2]]);
  });

  it("begins with a new board where the number of shards is another", () => {
    const before = takeSnapshot(snapshot("..r"), { before: undefined, now: 0 });
    expect(takeSnapshot(snapshot("cccc"), { before, now: 0 }).board.size).toBe(4);
  });
});

describe("takeUpdate", () => {
  it("keeps the newest attempts alone and counts those it dropped", () => {
    const attempts = Array.from({ length: maxAttempts }, (_, unit) => ({ unit }) as AttemptView);
    const before = takeSnapshot(snapshot("c", { attempts, attemptsLeftOut: 2 }), { before: undefined, now: 0 });
    const after = takeUpdate(before, update({ attempts: [{ unit: -1 } as AttemptView] }), 0);
    expect([
      after.attempts.length,
      after.attempts[0]!.unit,
      after.attempts.at(-1)!.unit,
      after.attemptsLeftOut,
    ]).toEqual([maxAttempts, 1, -1, 3]);
  });

  it("remembers since when a worker is seen on its shard, and forgets it with the next one", () => {
    const at = (shard: number) => overview([{ worker: "a", shard }]);
    const first = takeSnapshot(snapshot("..", { overview: at(0) }), { before: undefined, now: 10 });
    const second = takeUpdate(first, update({ overview: at(0) }), 20);
    const third = takeUpdate(second, update({ overview: at(1) }), 30);
    expect([second.seenSince, third.seenSince]).toEqual([new Map([["a 0", 10]]), new Map([["a 1", 30]])]);
  });
});

describe("thinRates", () => {
  it("leaves few points as they are", () => {
    const rates = [{ at: 1, itemsPerSecond: 2 }];
    expect(thinRates(rates, 1)).toBe(rates);
  });

  it("halves many: neighbours become their mean over time", () => {
    const rates = [0, 1, 2, 6, 7].map((at) => ({ at: 1000 * at, itemsPerSecond: at }));
    expect(thinRates(rates, 4)).toEqual([
      { at: 1000, itemsPerSecond: 0.5 },
      { at: 6000, itemsPerSecond: (2 * 1 + 6 * 4) / 5 },
      { at: 7000, itemsPerSecond: 7 },
    ]);
  });
});
