import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { firstReport, reportText } from "../../../../src/run-folder/files/worker-report.ts";
import { runStatus } from "../../../../src/run-folder/run/run-status.ts";
import { identify } from "../../../../src/runtime/process-identity.ts";
import { commitByHand, makeRun } from "../../../support/made-run.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

// The status is read in steps; between which of them the process leaves is not known.
it.each([0, 1, 2, 3, 4, 5, 6])(
  "a run whose last process completes it and leaves during a reading of its status is not stopped (step %i)",
  async (steps) => {
    const paths = makeRun(temporaryFolder(), 2);
    commitByHand(paths, 0);
    const report = { ...firstReport({ worker: "w", ttlMs: 60_000, ...identify() }), shard: 1 };
    writeFileSync(paths.worker("w"), reportText(report));
    const reading = runStatus(paths.root);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    commitByHand(paths, 1);
    writeFileSync(paths.merged, "{}");
    rmSync(paths.worker("w"));
    expect(["running", "complete"]).toContain((await reading).state);
  },
);
