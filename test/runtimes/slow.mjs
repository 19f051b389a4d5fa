import { setTimeout as sleep } from "node:timers/promises";
import { defineRun, isMainModule, range } from "millrace";

export const slow = defineRun(import.meta, {
  env: () => ({}),
  async forward(i) {
    await sleep(20);
    return { i };
  },
});

if (isMainModule(import.meta))
  await slow.run(range(100), {
    outputDir: "exp",
    shards: 10,
    mergeFiles: true,
    parallel: { env: "process", n_workers: 2 },
  });
