// 1,000,000 tiny items against the bare loop, and the memory of 100,000 against that of 10,000,000.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder, ratioOfPairs, row } from "./measure.mjs";
import { bareLoop, bareLoopAndCopy, runTiny } from "./tiny.mjs";

const count = 1_000_000;

export function bench() {
  return inFolder(async (folder) => {
    const ratio = await ratioOfPairs(
      21,
      (i) => bareLoop(join(folder, `bare-${i}.jsonl`), count),
      (i) => runTiny(join(folder, `run-${i}`), count),
    );
    const merged = await ratioOfPairs(
      11,
      (i) => bareLoopAndCopy(join(folder, `copied-${i}.jsonl`), count),
      (i) => runTiny(join(folder, `merged-${i}`), count, { mergeFiles: true }),
    );
    if (!readFileSync(join(folder, "bare-0.jsonl")).equals(readFileSync(join(folder, "merged-0", "records.jsonl"))))
      throw new Error("not the same bytes");
    const growth = (job) => peakMegabytes(folder, job, 10_000_000) - peakMegabytes(folder, job, 100_000);
    return [
      row("1,000,000 tiny items, total / bare loop", ratio, "x", 1.25),
      row("the same with one merged file / bare loop and a copy of it", merged, "x", 1.3),
      row(
        "memory growth, 100,000 to 10,000,000 items, beyond the bare loop's",
        growth("run") - growth("bare"),
        "MB",
        16,
      ),
    ];
  });
}

function peakMegabytes(folder, job, items) {
  const script = fileURLToPath(new URL("./peak-memory.mjs", import.meta.url));
  const args = [script, job, join(folder, `memory-${job}-${items}`), String(items)];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}
