import { rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Snapshot, Update } from "../../../src/dashboard/run-view.ts";
import { type RunWatch, watchRun } from "../../../src/dashboard/view/watch-run.ts";
import { firstReport, renewReport, reportText } from "../../../src/run-folder/files/worker-report.ts";
import { identify } from "../../../src/runtime/process-identity.ts";
import { countFileCalls } from "../../support/count-file-calls.ts";
import { commitByHand, makeRun } from "../../support/made-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function listen(watch: RunWatch) {
  const heard: { snapshots: Snapshot[]; updates: Update[]; ends: string[] } = { snapshots: [], updates: [], ends: [] };
  const stop = watch.subscribe({
    onSnapshot: (json) => heard.snapshots.push(JSON.parse(json) as Snapshot),
    onUpdate: (json) => heard.updates.push(JSON.parse(json) as Update),
    onEnd: (why) => heard.ends.push(why),
  });
  return { heard, stop };
}

const until = (condition: () => unknown) => vi.waitUntil(condition, { timeout: 200_000, interval: 20 });

describe("watching a run", () => {
  it("reads the folder once for all watchers, about once a second while a worker runs", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    const report = reportText({ ...firstReport({ worker: "w", ttlMs: 60_000, ...identify() }), shard: 0 });
    writeFileSync(paths.worker("w"), report);
    const watch = watchRun(paths.root);
    const listeners = Array.from({ length: 5 }, () => listen(watch));
    await until(() => listeners.every(({ heard }) => heard.updates.length >= 2));
    // All got the same object: one refresh serves every watcher.
    const counts = await countFileCalls(async () => {
      const before = listeners[0]!.heard.updates.length;
      await until(() => listeners[0]!.heard.updates.length > before);
    });
    expect(counts.total).toBeGreaterThan(0);
    expect(counts.total).toBeLessThan(2 * 30);
    for (const { heard, stop } of listeners) {
      expect(heard.snapshots).toHaveLength(1);
      expect(heard.updates[0]!.rates).toHaveLength(1);
      stop();
    }
    renewReport(paths, paths.worker("w"), report);
    watch.close();
  });

  it("reads nothing without a watcher", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    const watch = watchRun(paths.root);
    const { heard, stop } = listen(watch);
    await until(() => heard.snapshots.length === 1);
    stop();
    expect((await countFileCalls(() => sleep(2500))).total).toBe(0);
    watch.close();
  });

  it("says nothing about a run in which nothing happens, and reads the folder at once on demand", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    const watch = watchRun(paths.root);
    const { heard, stop } = listen(watch);
    await until(() => heard.snapshots.length === 1);
    await sleep(4500);
    expect(heard.updates.length).toBeLessThanOrEqual(1);
    const before = heard.updates.length;
    commitByHand(paths, 1);
    watch.poke();
    await until(() => heard.updates.length > before);
    expect(heard.updates.at(-1)).toMatchObject({ shards: [[1, "c"]], rates: [] });
    stop();
    watch.close();
  });

  it("ends where the run is gone", async () => {
    const paths = makeRun(temporaryFolder(), 2);
    const watch = watchRun(paths.root);
    const { heard, stop } = listen(watch);
    await until(() => heard.snapshots.length === 1);
    rmSync(paths.root, { recursive: true });
    watch.poke();
    await until(() => heard.ends.length > 0);
    expect(heard.ends[0]).toContain("There is no run in");
    stop();
    watch.close();
  });
});
