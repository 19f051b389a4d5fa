// 1,000,000 tiny items compared with the bare loop, and the memory of 100,000 items compared with 10,000,000.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder, memory, ratioOfPairs, row } from "./measure.mjs";
import { bareLoop, runTiny } from "./tiny.mjs";

const count = 1_000_000;

export async function bench() {
  return [
    row("1,000,000 tiny items, total / bare loop, on the disk", await inFolder(plain), "x", 1.25),
    row("the same in memory", await inFolder(plain, memory), "x", 1.25),
    row("in memory, one merged file / bare loop (the bytes twice)", await inFolder(merged, memory), "x", 1.25),
    row("memory growth, 100,000 to 10,000,000 items, beyond the bare loop's", await inFolder(growth), "MB", 16),
  ];
}

function plain(folder) {
  return ratioOfPairs(
    21,
    (i) => bareLoop(join(folder, `bare-${i}.jsonl`), count),
    (i) => runTiny(join(folder, `run-${i}`), count),
  );
}

async function merged(folder) {
  const ratio = await ratioOfPairs(
    11,
    (i) => bareLoop(join(folder, `bare-${i}.jsonl`), count),
    (i) => runTiny(join(folder, `run-${i}`), count, { mergeFiles: true }),
  );
  if (!readFileSync(join(folder, "bare-0.jsonl")).equals(readFileSync(join(folder, "run-0", "records.jsonl"))))
    throw new Error("not the same bytes");
  return ratio;
}

function growth(folder) {
  const grown = (job) => peakMegabytes(folder, job, 10_000_000) - peakMegabytes(folder, job, 100_000);
  return grown("run") - grown("bare");
}

function peakMegabytes(folder, job, items) {
  const script = fileURLToPath(new URL("./peak-memory.mjs", import.meta.url));
  const args = [script, job, join(folder, `memory-${job}-${items}`), String(items)];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}
