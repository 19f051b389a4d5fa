// A run through a real Slurm on this machine, compared with the same run with `env: process`; and the throughput of
// shards.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { inFolder, median, row, timeMs } from "./measure.mjs";
import { calibrate } from "./work-item.mjs";
import { BenchRunner, runBench } from "./worker-jobs.mjs";

const { startSlurm, whyNotSlurm } = await tsImport("../test/support/clusters/slurm.ts", import.meta.url);

const pairs = 3;
const shards = 800;

export async function bench() {
  const reason = whyNotSlurm();
  if (reason !== undefined) {
    console.log(`  not measured: ${reason}`);
    return [];
  }
  const cluster = await startSlurm({ nodes: 2, cpusPerNode: 8 });
  const before = { ...process.env };
  Object.assign(process.env, cluster.environment);
  try {
    return await inFolder(measure);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await cluster.stop();
  }
}

async function measure(folder) {
  const job = { itemMs: 5, loopsPerMs: calibrate() };
  const extra = [];
  for (let i = 0; i < pairs; i++) {
    const run = (env) =>
      timeMs(() => runBench(BenchRunner, { outputDir: join(folder, `${env}-${i}`), count: 1000, job, env }));
    const besideMs = await run("process");
    extra.push((await run("slurm")) - besideMs);
  }
  return [
    row("1,000 items of 5 ms, 2 workers: seconds more than with process", median(extra) / 1000, "s", 5),
    row("8 workers, 800 shards of one item: milliseconds a shard", await msPerShard(folder), "ms", 20),
  ];
}

/** From the first commit to the last, by file times. */
async function msPerShard(folder) {
  const outputDir = join(folder, "shards");
  const parallel = { env: "slurm", n_workers: 8 };
  await runBench(BenchRunner, { outputDir, count: shards, job: { itemMs: 0 }, shards, parallel });
  const times = readdirSync(outputDir)
    .filter((name) => name.startsWith("split."))
    .map((name) => statSync(join(outputDir, name)).ctimeMs);
  return (Math.max(...times) - Math.min(...times)) / (times.length - 1);
}
