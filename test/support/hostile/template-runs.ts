import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { runPaths } from "../../../src/run-folder/files/run-paths.ts";
import { createManifest, requireManifest } from "../../../src/run-folder/run/manifest.ts";
import type { Project } from "../cli/project.ts";

/** A run as it was left, and the words of the config that made it. */
export interface TemplateRun {
  readonly name: "finished" | "half" | "calls" | "listed";
  readonly dir: string;
  readonly words: readonly string[];
}

const twoHoursMs = 7_200_000;

/**
 * Real runs in a project: one that is complete with failures, one that was killed, one that was killed with several calls open and a
 * rate limit, one with a list of items.
 */
export async function makeTemplates(project: Project): Promise<TemplateRun[]> {
  const finished = ["job.yaml", "fails=[2,5]", "+runner.merge_files=true"];
  expect((await project.run("run", ...finished)).status).toBe(3);
  keepAs("finished");

  const half = ["job.yaml", "slow_until=never", "says=true", "held=[8]", "held_until=never"];
  const first = project.start(["run", ...half]);
  await first.seen(/at item 6/);
  first.child.kill("SIGINT");
  await first.ended;
  const second = project.start(["run", ...half]);
  await second.seen(/at item 8/);
  second.child.kill("SIGKILL");
  await second.ended;
  addByHand(project.path("exp/job"));
  keepAs("half");

  const calls = ["job.yaml", "says=true", "held=[8]", "held_until=never", "+runner.concurrency=4"];
  calls.push("+runner.rate_limit={per_second: 1000, adaptive: true}");
  const third = project.start(["run", ...calls]);
  await third.seen(/at item 12/);
  third.child.kill("SIGKILL");
  await third.ended;
  const { attempts, rateFile } = runPaths(project.path("exp/job"));
  const kept = readdirSync(attempts, { recursive: true, encoding: "utf8" });
  expect(
    kept.filter((name) => name.includes("%answers.")),
    "answers that no checkpoint covers",
  ).not.toEqual([]);
  writeFileSync(rateFile(`${Math.floor(Date.now() / 1000)}.slow`), '{"factor":0.5}\n');
  keepAs("calls");

  cpSync(project.path("finished"), project.path("listed"), { recursive: true, preserveTimestamps: true });
  listItems(project.path("listed"));
  const runs: TemplateRun[] = [
    { name: "finished", dir: project.path("finished"), words: finished },
    { name: "half", dir: project.path("half"), words: half },
    { name: "calls", dir: project.path("calls"), words: calls },
    { name: "listed", dir: project.path("listed"), words: finished },
  ];
  for (const { dir } of runs) {
    symlinkSync("../../canary/precious", join(dir, "link"));
    makeOld(dir);
  }
  return runs;

  function keepAs(name: string): void {
    renameSync(project.path("exp/job"), project.path(name));
  }
}

/** What this run did not come to: every kind of file that a run folder may hold is there. */
function addByHand(dir: string): void {
  const paths = runPaths(dir);
  const error = {
    code: "ITEM_FAILED",
    message: "Item 12 failed: no",
    hint: "Look at it.",
    item: 12,
    worker: "w",
    cause: { name: "Error", message: "no", code: "ENOENT", stack: "Error: no\n    at f (file:///tmp/jobs.js:3:4)" },
  };
  writeFileSync(paths.failure, JSON.stringify({ ...error, at: Date.now() }));
  writeFileSync(paths.stop, JSON.stringify(error));
  writeFileSync(paths.drain, "");
  writeFileSync(paths.firstScan, JSON.stringify({ suspects: [1], failed: 2 }));
  for (const folder of [paths.logs, paths.jobs, paths.notices]) mkdirSync(folder, { recursive: true });
  for (const name of ["w", "driver-x", "local-y"]) writeFileSync(paths.log(name), `what ${name} wrote\n`);
  writeFileSync(paths.notice("no-checkpoints"), "said\n");
  writeFileSync(
    paths.job("sight"),
    JSON.stringify({ env: "slurm", pending: 0, running: 0, lost: 0, waitingFor: "Priority", silence: "no" }),
  );
  const fenced = readdirSync(paths.attempts).find((name) => name.endsWith(".fenced"));
  expect(fenced, "an attempt that was released").toBeDefined();
  const folder = join(paths.attempts, fenced!);
  expect(existsSync(join(folder, ".checkpoint.0")), "a checkpoint").toBe(true);
  writeFileSync(join(folder, ".item"), "3 1 0 1700000000000 1000000\n".padEnd(80));
  writeFileSync(
    join(folder, ".exit"),
    JSON.stringify({
      signal: "SIGKILL",
      atMs: Date.now(),
      wasWarned: false,
      outOfMemory: "host",
      memory: { rss: 1, limit: 2 },
      watched: { supervisor: "s", outsideEnds: 1, workerMs: 5 },
    }),
  );
  const history = join(paths.historyFolder, readdirSync(paths.historyFolder)[0]!);
  appendFileSync(history, readFileSync(history));
}

/** The record of a job, as a scheduler's launcher writes it. */
export function addJobRecord(dir: string): void {
  const paths = runPaths(dir);
  mkdirSync(paths.jobs, { recursive: true });
  const submission = {
    version: 1,
    name: "millrace-abc123",
    env: "slurm",
    tasks: 2,
    processes: 1,
    id: "4711",
    walltimeSeconds: 3600,
    graceSeconds: 60,
    threadsPerWorker: 1,
    maxHeapMb: 512,
    own: { clusters: "a", list: ["b"] },
    logDirectory: paths.logs,
    host: "node1",
    isClosed: false,
    isUnwanted: false,
  };
  writeFileSync(paths.job("millrace-abc123.json"), JSON.stringify(submission));
  writeFileSync(paths.job("millrace-abc123.job"), "#!/bin/sh\n");
  const report = { version: 1, node: "node1", pid: 12, wasReady: true, outcome: "left", isRequeued: false };
  writeFileSync(paths.job("millrace-abc123.0.json"), JSON.stringify(report));
}

/** The same items as a list in a file of its own. */
function listItems(dir: string): void {
  const paths = runPaths(dir);
  const manifest = requireManifest(paths);
  const items = { kind: "list", count: 20, indices: Uint32Array.from({ length: 20 }, (_, i) => i) } as const;
  renameSync(paths.manifest, `${paths.manifest}.old`);
  createManifest(paths, { ...manifest, plan: { ...manifest.plan, items } });
  renameSync(`${paths.manifest}.old`, join(dir, "..", "listed.manifest.json"));
}

/** Makes all files of workers old on every host, as if no worker ran. */
function makeOld(dir: string): void {
  const paths = runPaths(dir);
  const then = new Date(Date.now() - twoHoursMs);
  for (const folder of [paths.leases, paths.workers, paths.attempts])
    for (const name of existsSync(folder) ? readdirSync(folder) : []) utimesSync(join(folder, name), then, then);
}
