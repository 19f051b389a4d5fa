import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { range, readFailures, readRecords } from "millrace";
import { expect, it } from "vitest";
import * as trial from "../fixtures/runners/conformance.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Many small shards: workers often look at a shard that another one is just replacing.
const [count, shards, rounds] = [400, 100, 3];

it("retries the failed items of many shards with several workers, which take none for damaged", async () => {
  const failAt = [...range(count)].filter((item) => item % 4 === 0);
  for (let round = 0; round < rounds; round++) {
    const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
    const options = { outputDir, shards, onError: "skip", progress: false } as const;
    const newRun = () =>
      new trial.TrialRunner(new trial.TrialProvider({ folder, failAt }), {
        ...options,
        parallel: { env: "thread", n_workers: 4 },
      });
    await newRun().run(range(count));
    expect([...readFailures(outputDir)].map(({ item }) => item)).toEqual(failAt);
    writeFileSync(join(folder, "fixed"), "");
    await newRun().retryFailed();
    expect([...readFailures(outputDir)]).toEqual([]);
    const inOrder = Array.from({ length: shards }, (_, shard) => join(outputDir, `split.${shard}`, "records.jsonl"));
    const records = inOrder.flatMap((path) => [...readRecords<{ item: number }>(path)]);
    expect(records.map(({ item }) => item)).toEqual([...range(count)]);
  }
});
