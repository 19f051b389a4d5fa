// A plan of 10,000,000 indices: the time from the range to the manifest on disk, and the manifest's size.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { range } from "millrace";
import { tsImport } from "tsx/esm/api";
import { inFolder, median, row, timeMs } from "./measure.mjs";

// Internal modules, which the build does not export.
const { collectItems } = await tsImport("../src/plan/collect-items.ts", import.meta.url);
const { makePlan } = await tsImport("../src/plan/make-plan.ts", import.meta.url);
const { makeFingerprint } = await tsImport("../src/run-folder/run/fingerprint.ts", import.meta.url);
const { createManifest } = await tsImport("../src/run-folder/run/manifest.ts", import.meta.url);
const { runPaths } = await tsImport("../src/run-folder/files/run-paths.ts", import.meta.url);

const count = 10_000_000;

export function bench() {
  return inFolder(async (folder) => {
    const times = [];
    for (let i = 0; i < 11; i++) times.push(await timeMs(() => plan(join(folder, String(i)), range(count))));
    const arbitrary = Uint32Array.from({ length: count }, (_, i) => (i * 7919) % count);
    const irregular = await timeMs(() => plan(join(folder, "irregular"), arbitrary));
    return [
      row("10,000,000 indices of a range, planned and on disk", median(times), "ms", 50),
      row("its manifest", statSync(join(folder, "0", "manifest.json")).size / 1000, "kB", 100),
      row("10,000,000 indices in no order", irregular, "ms", 1500),
    ];
  });
}

async function plan(dir, indices) {
  mkdirSync(dir);
  const items = await collectItems(indices);
  const made = makePlan(items, { workers: 200 });
  createManifest(runPaths(dir), {
    plan: made,
    fingerprint: makeFingerprint({ runner: "R", provider: "P", config: {}, params: {}, items }),
    code: [],
  });
}
