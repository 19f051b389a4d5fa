// A run that is already complete: the time until `merge` is called, with 1,000,000 items in 1,000 shards.

import { join } from "node:path";
import { range } from "millrace";
import { inFolder, median, row } from "./measure.mjs";
import { runTiny, TinyProvider, TinyRunner } from "./tiny.mjs";

export function bench() {
  return inFolder(async (folder) => {
    const outputDir = join(folder, "run");
    await runTiny(outputDir, 1_000_000, { shards: 1000 });
    let mergedAtMs = 0;
    const runner = new TinyRunner(new TinyProvider({}), { outputDir, progress: false });
    runner.merge = () => {
      mergedAtMs = performance.now();
      return [];
    };
    const times = [];
    for (let i = 0; i < 11; i++) {
      const beganMs = performance.now();
      await runner.run(range(1_000_000));
      times.push(mergedAtMs - beganMs);
    }
    return [row("run over a complete run of 1,000 shards, until merge", median(times), "ms", 300)];
  });
}
