import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type RunPaths, runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import { firstReport, reportText } from "../../../../src/run-folder/files/worker-report.ts";
import { noteExit, noteRelease, noteStuck } from "../../../../src/run-folder/history/attempt-notes.ts";
import { type AttemptRecord, parseAttempt } from "../../../../src/run-folder/history/history.ts";
import { claimTarget } from "../../../../src/run-folder/lease/claim.ts";
import { type FileStep, takeStepsNow } from "../../../../src/run-folder/lease/file-step.ts";
import { describeLost, type FencedAttempt } from "../../../../src/run-folder/lease/lost-attempt.ts";
import { reapWorker } from "../../../../src/run-folder/lease/reap-worker.ts";
import { takeFileStep } from "../../../../src/run-folder/lease/take-file-step.ts";
import { identify } from "../../../../src/runtime/process-identity.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const lease = { worker: "gone", ttlMs: 1000, ...identify() };

/** A run folder in which the worker `gone` holds split.4 and has done five items, two of which were there before. */
function heldShard(): RunPaths {
  const paths = runPaths(temporaryFolder());
  for (const folder of [paths.leases, paths.workers, paths.attempt(4, 2)]) mkdirSync(folder, { recursive: true });
  const report = { ...firstReport(lease), shard: 4, epoch: 2, position: 5, from: 2 };
  for (const path of [paths.worker("gone"), paths.lease(4, 2)]) writeFileSync(path, reportText(report));
  return paths;
}

const take = (paths: RunPaths) => (step: FileStep) => takeFileStep(step, { paths, isCommitted: () => false });

function linesOf(paths: RunPaths, worker: string): (AttemptRecord | undefined)[] {
  return readFileSync(paths.history(worker), "utf8").trim().split("\n").map(parseAttempt);
}

describe("an attempt whose worker has ended", () => {
  it("is recorded by the process that saw it, with the signal and the work done", () => {
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

  it("is reported to the worker that takes over its shard", () => {
    const paths = heldShard();
    const reported: FencedAttempt[] = [];
    const context = {
      paths,
      lease: { ...lease, worker: "new" },
      isDead: () => true,
      onFenced: reported.push.bind(reported),
    };
    writeFileSync(paths.worker("new"), reportText(firstReport(context.lease)));
    const claim = takeStepsNow(claimTarget(4, { active: 2, fenced: [], highest: 2 }, context), take(paths));
    expect(claim).toEqual({ target: 4, attempt: 3 });
    expect(reported.map((fenced) => describeLost(paths, fenced))).toMatchObject([
      { unit: 4, attempt: 2, outcome: "lost", reason: "the worker vanished" },
    ]);
  });

  const fence = (paths: RunPaths, note: (folder: string) => void): AttemptRecord | undefined => {
    mkdirSync(paths.fenced(4, 2), { recursive: true });
    note(paths.fenced(4, 2));
    const snapshot = { text: readFileSync(paths.lease(4, 2), "utf8"), ageMs: 10 };
    return describeLost(paths, { target: 4, attempt: 2, snapshot });
  };

  it.each<[string, (dir: string) => void, string, string]>([
    [
      "exit code",
      (dir: string) => void noteExit(dir, { code: 3 }, { root: dir }),
      "lost",
      "the worker exited with code 3",
    ],
    [
      "time-out",
      (dir: string) => noteStuck(dir, { position: 1, count: 1, stuckMs: 50 }),
      "lost",
      "an item took more than 50 ms",
    ],
    ["end of its driver", (dir: string) => noteRelease(dir, "its driver was gone"), "released", "its driver was gone"],
  ])("has its %s as the reason", (_what, note, outcome, reason) => {
    expect(fence(heldShard(), note)).toMatchObject({ outcome, reason });
  });

  it("has no record where its worker is unknown", () => {
    const paths = heldShard();
    expect(describeLost(paths, { target: 4, attempt: 2, snapshot: { text: "", ageMs: 0 } })).toBeUndefined();
  });
});
