// How the benchmarks measure: both sides alternate in one process, many times, and the median of the ratios counts.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The disk, or MILLRACE_BENCH_DIR: what a user has. */
export const disk = process.env.MILLRACE_BENCH_DIR ?? tmpdir();

/** A file system in memory, if the machine has one: it measures millrace and not the disk. */
export const memory = existsSync("/dev/shm") ? "/dev/shm" : disk;

// ext4 creates files ten times more slowly for minutes after thousands were deleted, so files on disk are deleted at
// the end.
const used = [];
process.once("exit", () => used.forEach(discard));

/** A folder for one benchmark. Its runs use new folders below it, which are removed together at the end. */
export async function inFolder(act, place = disk) {
  const folder = mkdtempSync(join(place, "millrace-bench-"));
  if (place === disk) used.push(folder);
  try {
    return await act(folder);
  } finally {
    if (place !== disk) discard(folder);
  }
}

function discard(folder) {
  rmSync(folder, { recursive: true, force: true });
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

// Work that one side leaves behind, such as unflushed files or ending processes, must not slow down the other.
const restMs = 300;

/** The median of `ours / theirs` over interleaved pairs, after one pair that is not counted. */
export async function ratioOfPairs(pairs, theirs, ours) {
  return (await ratiosOfPairs(pairs, theirs, ours)).time;
}

/** The same by the clock and by CPU time of this process, for work that stays in it. */
export async function ratiosOfPairs(pairs, theirs, ours) {
  const ratios = { time: [], cpu: [] };
  for (let i = 0; i <= pairs; i++) {
    const their = await measured(() => theirs(i));
    const our = await measured(() => ours(i));
    if (i === 0) continue;
    ratios.time.push(our.timeMs / their.timeMs);
    ratios.cpu.push(our.cpuMs / their.cpuMs);
  }
  return { time: median(ratios.time), cpu: median(ratios.cpu) };
}

async function measured(act) {
  await sleep(restMs);
  const cpu = process.cpuUsage();
  const ms = await timeMs(act);
  const { user, system } = process.cpuUsage(cpu);
  return { timeMs: ms, cpuMs: (user + system) / 1000 };
}

/** One row of a result: a figure and its limit. */
export function row(what, value, unit, limit) {
  return { what, value: Number(value.toPrecision(3)), unit, limit, holds: value <= limit };
}
