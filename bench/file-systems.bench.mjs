// Two hosts drive one run of 60 shards of 400 ms, on a file system that is slow: how much longer than on the local disk. And
// how many calls a shard costs. The file system is the tests' own, in user space, with delays as of NFS, sshfs and worse.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { median, row } from "./measure.mjs";

const { whyNoAdversary } = await tsImport("../test/support/file-systems/adversary.ts", import.meta.url);
const { driveTogether } = await tsImport("../test/support/file-systems/shared-run.ts", import.meta.url);
const { startTwoHosts } = await tsImport("../test/support/file-systems/two-hosts.ts", import.meta.url);

const run = { env: "process", workers: 4, shards: 60, items: 3000, itemMs: 8, mergeFiles: false };
const pairs = Number(process.env.MILLRACE_BENCH_PAIRS ?? 2);
const rows = [
  { what: "1 to 2 ms a call (as NFS)", keys: { delay_low_ms: 1, delay_high_ms: 2 }, limit: 1.5 },
  { what: "2 to 6 ms a call (as sshfs)", keys: { delay_low_ms: 2, delay_high_ms: 6 }, limit: 2 },
  { what: "5 to 50 ms a call", keys: { delay_low_ms: 5, delay_high_ms: 50 }, limit: 3 },
];

export async function bench() {
  const reason = whyNoAdversary();
  if (reason !== undefined) {
    console.log(`  skipped: ${reason}`);
    return [];
  }
  const results = [];
  for (const { what, keys, limit } of rows) {
    const ratios = [];
    for (let i = 0; i < pairs; i++) ratios.push((await timeOn(keys)) / (await timeOn(undefined)));
    results.push(row(`60 shards of 400 ms, two hosts, ${what}: times the local disk`, median(ratios), "", limit));
  }
  // The difference of two runs: what is done once a run does not count.
  const [few, many] = [await countCalls(20), await countCalls(100)];
  for (const kind of [...many.keys()].sort()) {
    const calls = (many.get(kind) - (few.get(kind) ?? 0)) / 80;
    if (calls >= 0.05) results.push(row(`calls a shard: ${kind}`, calls, "", kind === "getattr" ? 20 : 6));
  }
  return results;
}

/** The seconds of a run on a file system with these keys; on the local disk without any. */
async function timeOn(keys) {
  const two = await startTwoHosts(keys ?? {});
  const local = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  try {
    const hosts = keys === undefined ? two.hosts.map((host) => ({ ...host, folder: local })) : two.hosts;
    const { ends, tookMs } = await driveTogether(hosts, "run", run);
    const failed = ends.find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(failed.stderr);
    return tookMs / 1000;
  } finally {
    await two.end();
    rmSync(local, { recursive: true, force: true });
  }
}

/** The calls of each kind that the mounts of both hosts have answered. */
async function countCalls(shards) {
  const two = await startTwoHosts({});
  try {
    await driveTogether(two.hosts, "run", { ...run, shards, items: shards * 10 });
    const counts = new Map();
    for (const host of two.hosts)
      for (const [kind, count] of Object.entries(await host.counts()))
        counts.set(kind, (counts.get(kind) ?? 0) + count);
    return counts;
  } finally {
    await two.end();
  }
}
