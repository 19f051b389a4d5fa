import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readFailures } from "../../../src/driver/read-failures.ts";
import { type RunPaths, runPaths } from "../../../src/run-folder/files/run-paths.ts";
import { parseReport } from "../../../src/run-folder/files/worker-report.ts";
import { parseAttempt } from "../../../src/run-folder/history/history.ts";
import { readJobQueueStatus } from "../../../src/run-folder/jobs/job-queue-status.ts";
import { readSubmissions } from "../../../src/run-folder/jobs/job-records.ts";
import { parseLease } from "../../../src/run-folder/lease/lease.ts";
import { readFirstScan } from "../../../src/run-folder/run/first-scan.ts";
import { writeFailure } from "../../../src/run-folder/run/last-failure.ts";
import { readManifest } from "../../../src/run-folder/run/manifest.ts";
import { readMerged } from "../../../src/run-folder/run/merged.ts";
import { readSpec } from "../../../src/run-folder/run/run-spec.ts";
import { runStatus } from "../../../src/run-folder/run/run-status.ts";
import { openCheckpointLog, readCheckpoints } from "../../../src/run-folder/shard/checkpoint.ts";
import { inspectShard, readDone } from "../../../src/run-folder/shard/done.ts";
import { readShardState } from "../../../src/run-folder/shard/shard-state.ts";
import { encodeState, fromPlainValues } from "../../../src/values/state-json.ts";
import { commitByHand, makeRun } from "../../support/made-run.ts";
import { mutateJson } from "../mutate-json.ts";
import type { Case, Mutator, Reader } from "../reader.ts";

const state = {
  plain: { a: [1, "x", null], deep: { b: true } },
  map: new Map<unknown, unknown>([
    ["k", 1],
    [2, [3]],
  ]),
  set: new Set([1, "x"]),
  date: new Date(0),
  big: 12345678901234567890n,
  odd: [Number.NaN, Number.POSITIVE_INFINITY, -0],
  floats: Float32Array.of(1, 2),
  longs: BigInt64Array.of(1n),
};

const more = {
  marks: [
    { $millrace: "undefined" },
    { $millrace: "same", as: 0 },
    { $millrace: "object", value: { $millrace: 1 } },
    { $millrace: "bare", value: { a: 1 } },
    { $millrace: "sparse", values: [1, null], holes: [1] },
    { $millrace: "RegExp", source: "a+", flags: "g", lastIndex: 0 },
    { $millrace: "URL", href: "file:///a" },
    { $millrace: "Buffer", base64: "AAEC" },
    { $millrace: "instance", module: "file:///a.js", name: "A", json: { b: 1 } },
  ],
};

const nestedMarks = (depth: number): Buffer =>
  Buffer.from(`${'{"$millrace":"Set","values":['.repeat(depth)}${"]}".repeat(depth)}`);

/** The values of states, specs and checkpoints. What is not JSON is refused before. */
export const stateValues: Reader = {
  covers: [],
  seeds: () => [Buffer.from(encodeState(state)), Buffer.from(JSON.stringify(more))],
  codes: ["RUN_FOREIGN", "RUN_DAMAGED"],
  named: /run folder/,
  bombs: [
    () => nestedMarks(1500),
    () => nestedMarks(30_000),
    () => Buffer.from(`[${'{"$millrace":"same","as":0},'.repeat(50_000)}0]`),
    () => Buffer.from(JSON.stringify({ $millrace: "RegExp", source: "(a+)+".repeat(50_000), flags: "", lastIndex: 0 })),
    () => Buffer.from(JSON.stringify({ $millrace: "bigint", value: "9".repeat(800_000) })),
  ],
  mutators: [mutateJson],
  read: ({ bytes }) => {
    let json: unknown;
    try {
      json = JSON.parse(bytes.toString("utf8"));
    } catch {
      return;
    }
    fromPlainValues(json);
  },
};

let base: { readonly folder: string; readonly names: readonly string[] } | undefined;

/** A run folder with a file of every kind. */
function baseRun(): { readonly folder: string; readonly names: readonly string[] } {
  if (base !== undefined) return base;
  const folder = mkdtempSync(join(tmpdir(), "millrace-fuzzed-run-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const paths = makeRun(folder, 3);
  commitByHand(paths, 0);
  commitByHand(paths, 1, 2);
  writeFileSync(join(paths.shard(0), "state.json"), `${encodeState(state)}\n`);
  fill(paths);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  base = { folder, names: names.sort() };
  return base;
}

function fill(paths: RunPaths): void {
  const put = (path: string, value: unknown): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
  };
  const lease = { worker: "w1", pid: 1, host: "h|boot", began: "1", ttlMs: 60_000, role: "worker" };
  const report = { ...lease, shard: 2, epoch: 1, position: 3, done: 3, failed: 0, dropped: 0, itemsPerSecond: 1 };
  put(paths.worker("w1"), report);
  put(paths.lease(2, 1), lease);
  put(paths.merged, { version: 1, key: "00000000", files: [{ name: "a.jsonl", bytes: 0, crc32: "00000000" }] });
  put(paths.firstScan, { suspects: [1], failed: 2 });
  put(paths.job("sight"), { pending: 1, running: 1, reason: "Priority" });
  put(paths.job("slurm-1.json"), {
    version: 1,
    name: "slurm-1",
    env: "slurm",
    tasks: 2,
    processes: 1,
    graceSeconds: 10,
    id: "42",
  });
  put(
    paths.history("w1"),
    `${JSON.stringify({ unit: 0, attempt: 1, worker: "w1", began: 1, ended: 2, outcome: "committed" })}\n`,
  );
  writeFailure(paths, new Error("it failed"));
  mkdirSync(paths.attempt(2, 1), { recursive: true });
  const log = openCheckpointLog(paths.attempt(2, 1));
  log.save({
    sequence: 1,
    position: 3,
    counts: { dropped: 0, failed: 0 },
    files: [],
    writers: {},
    state: encodeState(state),
  });
  log.close();
}

/** The first line of a case names the file; the rest is put into it. */
const split = (bytes: Buffer): { name: string; content: Buffer } => {
  const end = bytes.indexOf("\n");
  return { name: bytes.toString("utf8", 0, Math.max(0, end)), content: bytes.subarray(end + 1) };
};

const mutateContent: Mutator = (bytes, random) => {
  const { name, content } = split(bytes);
  return Buffer.concat([Buffer.from(`${name}\n`), mutateJson(Buffer.from(content), random)]);
};

async function readRun(input: Case): Promise<void> {
  const { folder, names } = baseRun();
  const { name: wanted, content } = split(input.bytes);
  const name = names.includes(wanted) ? wanted : input.random.pick(names);
  const path = join(folder, name);
  const honest = readFileSync(path);
  writeFileSync(path, content);
  try {
    await readEverything(runPaths(folder), input.random.below(10));
  } finally {
    writeFileSync(path, honest);
  }
}

async function readEverything(paths: RunPaths, choice: number): Promise<void> {
  if (choice < 5) await runStatus(paths.root);
  else if (choice === 5) for (const failure of readFailures(paths.root)) void failure;
  else if (choice === 6) for (const shard of [0, 1]) readShardState(paths.shard(shard));
  else if (choice === 7) {
    readManifest(paths);
    readSpec(paths);
  } else if (choice === 8) {
    for (const shard of [0, 1]) inspectShard(paths.shard(shard));
    readDone(paths.shard(0));
    readMerged(paths);
    readCheckpoints(paths.attempt(2, 1));
  } else {
    readFirstScan(paths);
    readJobQueueStatus(paths);
    readSubmissions(paths);
    parseLease(readFileSync(paths.lease(2, 1), "utf8"));
    parseReport(readFileSync(paths.worker("w1"), "utf8"));
    parseAttempt(readFileSync(paths.history("w1"), "utf8"));
  }
}

export const runFolder: Reader = {
  covers: ["runStatus", "readFailures", "readShardState"],
  seeds: () => {
    const { folder, names } = baseRun();
    return names.map((name) => Buffer.concat([Buffer.from(`${name}\n`), readFileSync(join(folder, name))]));
  },
  codes: ["RUN_DAMAGED", "RUN_FOREIGN", "RUN_NOT_FOUND", "SHARD_DAMAGED"],
  named: /./,
  isText: true,
  mutators: [mutateContent, mutateContent, mutateContent],
  read: readRun,
};
