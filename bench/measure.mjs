// How the benchmarks measure: both sides one after the other in one process, many times, and the median of the ratios.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// In memory where the machine has a file system there: what is measured is millrace, not the disk or what was deleted on it
// shortly before (ext4 creates files many times slower for minutes after thousands were deleted). MILLRACE_BENCH_DIR
// chooses another place.
const place = process.env.MILLRACE_BENCH_DIR ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

/** A folder for one benchmark. Its runs go into new folders below it, which are removed together at the end. */
export async function inFolder(act) {
  const folder = mkdtempSync(join(place, "millrace-bench-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function timeMs(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** The median of `ours / theirs` over interleaved pairs, after one pair that does not count. */
export async function ratioOfPairs(pairs, theirs, ours) {
  const ratios = [];
  for (let i = 0; i <= pairs; i++) {
    const theirMs = await timeMs(() => theirs(i));
    const ourMs = await timeMs(() => ours(i));
    if (i > 0) ratios.push(ourMs / theirMs);
  }
  return median(ratios);
}

/** One line of a result: a figure and the limit the project holds itself to. */
export function row(what, value, unit, limit) {
  return { what, value: Number(value.toPrecision(3)), unit, limit, holds: value <= limit };
}
