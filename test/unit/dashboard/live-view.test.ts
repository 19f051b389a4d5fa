import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openLiveView } from "../../../src/dashboard/view/live-view.ts";
import type { RunPaths } from "../../../src/run-folder/files/run-paths.ts";
import { firstReport, reportText } from "../../../src/run-folder/files/worker-report.ts";
import { openHistory } from "../../../src/run-folder/history/history.ts";
import { identify } from "../../../src/run-folder/lease/process-identity.ts";
import { orderDrain, orderStop } from "../../../src/run-folder/run/stop-order.ts";
import { countFileCalls } from "../../support/count-file-calls.ts";
import { commitByHand, makeRun } from "../../support/made-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const counts = { items: 10, written: 10, dropped: 0, failed: 0 };

/** A clock that is moved by hand: the folder is listed only now and then. */
function handClock() {
  let nowMs = Date.now();
  return { now: () => nowMs, pass: (ms: number) => (nowMs += ms) };
}

function work(paths: RunPaths, worker: string, shard: number, position = 4): void {
  const report = { ...firstReport({ worker, ttlMs: 60_000, ...identify() }), shard, epoch: 1, position };
  writeFileSync(
    paths.worker(worker),
    reportText({ ...report, itemsPerSecond: 2, rss: 5e7, from: 1, since: Date.now() - 2000 }),
  );
}

function reportCommits(paths: RunPaths, worker: string, units: readonly number[]): void {
  const history = openHistory(paths, worker);
  const now = Date.now();
  for (const unit of units) {
    const own = { unit, attempt: 1, worker, host: "h", began: now - 100, ended: now, items: 10, failed: 0 };
    history.add({ ...own, outcome: "committed", counts });
  }
  history.close();
}

describe("the live view of a run", () => {
  it("has what is committed, running and open in its first snapshot", async () => {
    const paths = makeRun(temporaryFolder(), 5);
    commitByHand(paths, 0);
    commitByHand(paths, 1, 2);
    mkdirSync(paths.fenced(3, 1));
    work(paths, "w", 2);
    const { overview, shards, attempts } = (await openLiveView(paths.root)).snapshot();
    expect(shards).toBe("cfrw.");
    expect(attempts).toEqual([]);
    expect(overview).toMatchObject({
      state: "running",
      stopping: null,
      items: { total: 50, done: 24, written: 18, failed: 2 },
      shards: { total: 5, committed: 2, damaged: 0 },
      itemsPerSecond: 2,
      etaSeconds: 13,
      workers: [{ worker: "w", shard: 2, position: 4, shardItems: 10, rss: 5e7, pid: process.pid }],
    });
  });

  it("learns of commits from the histories, without a look at the shards", async () => {
    const paths = makeRun(temporaryFolder(), 4);
    const view = await openLiveView(paths.root);
    reportCommits(paths, "w", [1, 3]);
    expect(await view.refresh()).toMatchObject({
      shards: [
        [1, "c"],
        [3, "c"],
      ],
      attempts: [{ unit: 1 }, { unit: 3 }],
    });
    expect(view.overview()).toMatchObject({ items: { done: 20 }, shards: { committed: 2 } });
    expect(view.snapshot().rates.length).toBeGreaterThan(0);
    expect(await view.refresh()).toEqual({ shards: [], attempts: [] });
  });

  it("finds what no history holds, and what was deleted, by a listing now and then", async () => {
    const paths = makeRun(temporaryFolder(), 3);
    const clock = handClock();
    commitByHand(paths, 0);
    const view = await openLiveView(paths.root, clock.now);
    commitByHand(paths, 1);
    rmSync(paths.shard(0), { recursive: true });
    utimesSync(paths.root, 1, 1);
    expect((await view.refresh())?.shards).toEqual([]);
    clock.pass(4000);
    expect((await view.refresh())?.shards).toEqual([
      [1, "c"],
      [0, "."],
    ]);
  });

  it("believes what the workers of a running run report, and reads what they have not reported", async () => {
    const paths = makeRun(temporaryFolder(), 4);
    const clock = handClock();
    work(paths, "w", 3);
    for (const shard of [0, 1]) commitByHand(paths, shard);
    reportCommits(paths, "w", [0]);
    // Not read: a worker reported it as committed.
    truncateSync(paths.done(0), 5);
    const view = await openLiveView(paths.root, clock.now);
    expect(view.snapshot().shards).toBe("cc.r");
    // A commit that is not reported yet is left alone at first, and read if no report comes.
    commitByHand(paths, 2);
    utimesSync(paths.root, 1, 1);
    for (const expected of [[], [[2, "c"]]]) {
      clock.pass(4000);
      expect((await view.refresh())?.shards).toEqual(expected);
    }
    rmSync(paths.worker("w"));
    expect((await openLiveView(paths.root)).snapshot().shards).toBe("dcc.");
  });

  it("calls a shard damaged that does not agree with its marker", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    commitByHand(paths, 0);
    truncateSync(paths.done(0), 5);
    const { shards, overview } = (await openLiveView(paths.root)).snapshot();
    expect(shards).toBe("d.");
    expect(overview.shards.damaged).toBe(1);
  });

  it("says that a run is to stop while a worker is there to stop", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    work(paths, "w", 0);
    const view = await openLiveView(paths.root);
    orderDrain(paths);
    await view.refresh();
    expect(view.overview().stopping).toBe("drain");
    orderStop(paths);
    await view.refresh();
    expect(view.overview().stopping).toBe("cancel");
    rmSync(paths.worker("w"));
    await view.refresh();
    expect(view.overview()).toMatchObject({ stopping: null, state: "stopped" });
  });

  it("is of no use any more where another run was begun in the folder", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    const view = await openLiveView(paths.root);
    rmSync(paths.manifest);
    makeRun(paths.root, 3);
    expect(await view.refresh()).toBeUndefined();
  });

  it("reads a folder in which it may not write", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    commitByHand(paths, 0);
    work(paths, "w", 1);
    // Root may write everywhere, so the folder is replaced by a file: then nothing can be written below it.
    rmSync(paths.leases, { recursive: true });
    writeFileSync(paths.leases, "");
    const view = await openLiveView(paths.root);
    expect(view.overview()).toMatchObject({ state: "running", shards: { committed: 1 } });
  });

  it("does the same few calls at every refresh of 10,000 shards, and a few more for each worker", async () => {
    const paths = makeRun(temporaryFolder(), 10_000);
    for (let shard = 0; shard < 5000; shard++) commitByHand(paths, shard);
    const clock = handClock();
    const view = await openLiveView(paths.root, clock.now);
    expect(view.overview().shards.committed).toBe(5000);
    const refresh = async () => {
      clock.pass(1000);
      await view.refresh();
    };
    await refresh();
    const unwatched = await countFileCalls(refresh);
    expect(unwatched.total).toBeGreaterThan(3);
    expect(unwatched.total).toBeLessThan(15);
    work(paths, "a", 6000);
    work(paths, "b", 6001);
    // Three hundred commits in one go are no reason to look into any shard, even where the folder is listed.
    for (let shard = 5000; shard < 5300; shard++) commitByHand(paths, shard);
    reportCommits(
      paths,
      "a",
      Array.from({ length: 300 }, (_, i) => 5000 + i),
    );
    const busy = await countFileCalls(async () => {
      for (let i = 0; i < 8; i++) await refresh();
    });
    expect(view.overview().shards.committed).toBe(5300);
    expect(busy.total).toBeLessThan(8 * 40);
    // It is listed when it has changed, and again, since clocks of file systems tick slowly.
    expect(busy["readdirSync"]).toBeLessThanOrEqual(8 + 2 + 2);
  });
});
