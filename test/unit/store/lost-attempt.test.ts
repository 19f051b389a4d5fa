import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { noteExit, noteRelease, noteStuck } from "../../../src/store/attempt-notes.ts";
import { claimUnit } from "../../../src/store/claim-unit.ts";
import { type FileStep, takeStepsNow } from "../../../src/store/file-step.ts";
import { type AttemptRecord, parseAttempt } from "../../../src/store/history.ts";
import { describeLost, type FencedAttempt } from "../../../src/store/lost-attempt.ts";
import { identify } from "../../../src/store/process-identity.ts";
import { reapWorker } from "../../../src/store/reap-worker.ts";
import { type RunPaths, runPaths } from "../../../src/store/run-paths.ts";
import { takeFileStep } from "../../../src/store/take-file-step.ts";
import { firstReport, reportText } from "../../../src/store/worker-report.ts";
import { temporaryFolder } from "../../fixtures/temporary-folder.ts";

const lease = { worker: "gone", ttlMs: 1000, ...identify() };

/** A run folder in which the worker `gone` holds split.4 and has done five items, two of which were there before. */
function heldShard(): RunPaths {
  const paths = runPaths(temporaryFolder());
  for (const folder of [paths.leases, paths.workers, paths.attempt(4, 2)]) mkdirSync(folder, { recursive: true });
  const report = { ...firstReport(lease), shard: 4, epoch: 2, position: 5, from: 2 };
  for (const path of [paths.worker("gone"), paths.lease(4, 2)]) writeFileSync(path, reportText(report));
  return paths;
}

const take = (paths: RunPaths) => (step: FileStep) =>
  takeFileStep(step, { clockFolder: paths.leases, isCommitted: () => false });

function linesOf(paths: RunPaths, worker: string): (AttemptRecord | undefined)[] {
  return readFileSync(paths.history(worker), "utf8").trim().split("\n").map(parseAttempt);
}

describe("an attempt whose worker has ended", () => {
  it("is written down by whoever saw that, with the signal and what it had done itself", () => {
    const paths = heldShard();
    const before = Date.now();
    reapWorker(paths, "gone", { signal: "SIGKILL" });
    const [record] = linesOf(paths, "gone");
    expect(record).toMatchObject({
      unit: 4,
      attempt: 2,
      worker: "gone",
      outcome: "lost",
      items: 3,
      reason: "the worker was ended by SIGKILL",
    });
    expect(record!.began).toBeLessThanOrEqual(record!.ended);
    expect(record!.ended).toBeGreaterThanOrEqual(before);
    expect(record!.host).not.toContain("|");
  });

  it("is told to whoever takes its shard over", () => {
    const paths = heldShard();
    const told: FencedAttempt[] = [];
    const context = { paths, lease: { ...lease, worker: "new" }, isDead: () => true, onFenced: told.push.bind(told) };
    writeFileSync(paths.worker("new"), reportText(firstReport(context.lease)));
    const claim = takeStepsNow(claimUnit(4, { active: 2, fenced: [], highest: 2 }, context), take(paths));
    expect(claim).toEqual({ unit: 4, epoch: 3 });
    expect(told.map((fenced) => describeLost(paths, fenced))).toMatchObject([
      { unit: 4, attempt: 2, outcome: "lost", reason: "the worker vanished" },
    ]);
  });

  const fence = (paths: RunPaths, note: (folder: string) => void): AttemptRecord | undefined => {
    mkdirSync(paths.fenced(4, 2), { recursive: true });
    note(paths.fenced(4, 2));
    const sight = { text: readFileSync(paths.lease(4, 2), "utf8"), ageMs: 10 };
    return describeLost(paths, { unit: 4, epoch: 2, sight });
  };

  it.each<[string, (dir: string) => void, string, string]>([
    ["exit code", (dir: string) => void noteExit(dir, { code: 3 }), "lost", "the worker exited with code 3"],
    [
      "time-out",
      (dir: string) => noteStuck(dir, { position: 1, count: 1, stuckMs: 50 }),
      "lost",
      "an item took more than 50 ms",
    ],
    ["end of its driver", (dir: string) => noteRelease(dir, "its driver was gone"), "released", "its driver was gone"],
  ])("tells of its %s", (_what, note, outcome, reason) => {
    expect(fence(heldShard(), note)).toMatchObject({ outcome, reason });
  });

  it("is not told of where nobody knows whose it was", () => {
    const paths = heldShard();
    expect(describeLost(paths, { unit: 4, epoch: 2, sight: { text: "", ageMs: 0 } })).toBeUndefined();
  });
});
