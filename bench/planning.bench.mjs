// A plan of 10,000,000 indices: the time from the range to the manifest on disk, and the manifest's size.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { range } from "millrace";
import { collectItems } from "../dist/plan/collect-items.js";
import { makePlan } from "../dist/plan/make-plan.js";
import { makeFingerprint } from "../dist/store/fingerprint.js";
import { createManifest } from "../dist/store/manifest.js";
import { runPaths } from "../dist/store/run-paths.js";
import { inFolder, median, row, timeMs } from "./measure.mjs";

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
  });
}
