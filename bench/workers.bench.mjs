// Two workers: compared with hand-written child processes, the ideal, and thread pools.
import { join } from "node:path";
import { runByHand } from "./hand-made.mjs";
import { inFolder, median, memory, ratioOfPairs, row } from "./measure.mjs";
import { runInPool } from "./pools.mjs";
import { calibrate, clock, workers } from "./work-item.mjs";
import { BenchRunner, FirstItemRunner, runBench } from "./worker-jobs.mjs";

const loopsPerMs = calibrate();
const cpuJob = { itemMs: 5, loopsPerMs };
const tinyJob = { itemMs: 0 };
const million = 1_000_000;

export async function bench() {
  return [
    ...(await inFolder(cpuItems)),
    ...(await inFolder(skewedItems)),
    row("1,000,000 tiny items / two child processes, on the disk", await inFolder(tinyItems), "x", 1.25),
    row("the same in memory", await inFolder(tinyItems, memory), "x", 1.25),
    ...(await inFolder(firstItem)),
    ...(await inFolder(besidePools)),
  ];
}

/** The fraction of the workers' time that was spent in items, from the start of the first to the end of the last. */
function efficiency(records) {
  const sum = records.reduce((total, { began, ended }) => total + ended - began, 0);
  const first = Math.min(...records.map(({ began }) => began));
  const last = Math.max(...records.map(({ ended }) => ended));
  return sum / workers / (last - first);
}

async function cpuItems(folder) {
  // The outputs are read after the clock has stopped, because the other side's files are not read either.
  const runs = [];
  const ratio = await ratioOfPairs(
    5,
    (i) => runByHand({ outputDir: join(folder, `hand-${i}`), count: 2000, job: cpuJob }),
    async (i) => {
      runs.push(await runBench(BenchRunner, { outputDir: join(folder, `run-${i}`), count: 2000, job: cpuJob }));
    },
  );
  return [
    row("2,000 items of 5 ms: time not spent in items", 100 * (1 - median(runs.map(efficiency))), "%", 5),
    row("2,000 items of 5 ms, with start-up / two child processes", ratio, "x", 1.05),
  ];
}

async function skewedItems(folder) {
  const places = [0, 45, 95, 140, 190];
  const worst = [];
  for (const heavyFrom of places) {
    const makespans = [];
    for (let i = 0; i < 3; i++) {
      const job = { itemMs: 10, loopsPerMs, heavyFrom, heavyCount: 10, heavyTimes: 50 };
      const run = { outputDir: join(folder, `skew-${heavyFrom}-${i}`), count: 200, job };
      makespans.push(1 / efficiency(await runBench(BenchRunner, run)));
    }
    worst.push(median(makespans));
  }
  return [
    row(`200 items, 10 adjacent ones 50 x heavier, worst place: makespan / ideal`, Math.max(...worst), "x", 1.06),
  ];
}

function tinyItems(folder) {
  return ratioOfPairs(
    15,
    (i) => runByHand({ outputDir: join(folder, `hand-${i}`), count: million, job: tinyJob }),
    (i) => runBench(BenchRunner, { outputDir: join(folder, `run-${i}`), count: million, job: tinyJob }),
  );
}

async function firstItem(folder) {
  const [firsts, gaps] = [[], []];
  for (let i = 0; i < 5; i++) {
    const began = clock();
    const run = { outputDir: join(folder, `first-${i}`), count: 200, job: { envMs: 1000 } };
    const records = await runBench(FirstItemRunner, run);
    firsts.push((Math.min(...records.map(({ at }) => at)) - began) / 1000);
    const envs = [...new Set(records.map(({ envBegan }) => envBegan))].sort((a, b) => a - b);
    gaps.push(envs.at(-1) - envs[0]);
  }
  return [
    row("first item with an env of 1 s", median(firsts), "s", 1.4),
    row("between the beginnings of the two envs", median(gaps), "ms", 200),
  ];
}

async function besidePools(folder) {
  const rows = [];
  for (const [what, count, job, chunk] of [
    ["2,000 items of 5 ms", 2000, cpuJob, 1],
    ["1,000,000 tiny items (their chunks: 1,000)", million, tinyJob, 1000],
  ]) {
    for (const name of ["piscina", "tinypool"]) {
      for (const queued of [1, 4]) {
        const place = (side, i) => join(folder, `${side}-${name}-${queued}-${count}-${i}`);
        const ratio = await ratioOfPairs(
          7,
          (i) => runInPool(name, { outputDir: place("pool", i), count, job, chunk, queued }),
          (i) => runBench(BenchRunner, { outputDir: place("run", i), count, job, env: "thread" }),
        );
        rows.push(row(`${what}, threads / ${name}${queued === 1 ? "" : ", tuned"}`, ratio, "x", 1));
      }
    }
  }
  return rows;
}
