import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readFailures } from "millrace";
import { endProcessesOf, processesOf, type RunningProcess } from "./chaos.ts";
import { removeFolder } from "./remove-folder.ts";

/** What is run, and how often its processes are killed. */
export interface KillScene {
  readonly itemMs: number;
  readonly buildMs: number;
  readonly items: number;
  readonly workers: number;
  readonly batchSize?: number;
  readonly env: "process" | "slurm" | "ssh";
  readonly options?: object;
  /** Mean time between two kills. */
  readonly gapMs: number;
}

/** Where a scene runs, and what can be killed there. */
export interface KillSite {
  readonly environment: NodeJS.ProcessEnv;
  /** Kills once; returns how many processes or jobs were hit. */
  strike(folder: string, driver: ChildProcess, random: () => number): number | Promise<number>;
  /** Whether a driver that ended with this on stderr was asked to, by a strike of this site. */
  isExpectedEnd?(stderr: string): boolean;
}

/** What came of a number of kills; records are counted over all runs that it took. */
export interface KillOutcome {
  readonly kills: number;
  readonly runs: number;
  readonly expected: number;
  readonly records: number;
  readonly putAside: readonly unknown[];
  /** What drivers said that ended by themselves and not well. */
  readonly complaints: readonly string[];
}

const script = fileURLToPath(new URL("../fixtures/children/killed-driver.mjs", import.meta.url));
// A run whose items are killed faster than they end would never end.
const maxDisturbedMs = 120_000;
// For runs that hang; a busy machine is slow.
const maxRestMs = 900_000;

/** Runs the scene again and again, killing its processes at random moments, until there were `kills` kills. */
export async function killFromOutside(
  scene: KillScene,
  kills: number,
  random: () => number,
  site: KillSite = thisMachine,
): Promise<KillOutcome> {
  const sum = { kills: 0, runs: 0, expected: 0, records: 0, putAside: [] as unknown[], complaints: [] as string[] };
  while (sum.kills < kills && sum.complaints.length === 0) {
    // Scenes run side by side, and a hook at the end of one of them would not know which.
    const folder = mkdtempSync(join(tmpdir(), "millrace-test-"));
    try {
      await disturb(folder, scene, { sum, kills, random, site });
      sum.runs++;
      sum.expected += scene.items;
      if (sum.complaints.length > 0) break;
      const lines = readFileSync(join(folder, "records.jsonl"), "utf8").trim().split("\n");
      sum.records += lines.filter((line, idx) => line === JSON.stringify({ idx, square: idx * idx })).length;
      sum.putAside.push(...readFailures(folder));
    } finally {
      endProcessesOf(folder);
      await removeFolder(folder);
    }
  }
  return sum;
}

interface Course {
  readonly sum: { kills: number; complaints: string[] };
  readonly kills: number;
  readonly random: () => number;
  readonly site: KillSite;
}

/** One run from its first start to its end: drivers that are killed are started again. */
async function disturb(folder: string, scene: KillScene, { sum, kills, random, site }: Course): Promise<void> {
  const begunMs = performance.now();
  let driver = startDriver(folder, scene, site);
  for (;;) {
    const gapMs = -scene.gapMs * Math.log(1 - random());
    // Then the rest goes undisturbed.
    const isOver = sum.kills >= kills || performance.now() - begunMs > maxDisturbedMs;
    await Promise.race([driver.ended, sleep(isOver ? maxRestMs : gapMs)]);
    if (driver.child.exitCode === 0) return;
    const isExpected = driver.child.exitCode !== null && site.isExpectedEnd?.(driver.stderr()) === true;
    if (driver.child.exitCode !== null && !isExpected) {
      sum.complaints.push(driver.stderr());
      return;
    }
    if (driver.child.signalCode !== null || isExpected) driver = startDriver(folder, scene, site);
    else if (isOver) {
      sum.complaints.push(`the run did not end within ${maxRestMs} ms\n${driver.stderr()}`);
      return;
    } else sum.kills += await site.strike(folder, driver.child, random);
  }
}

/** Kills one worker as a rule; now and then the driver, its whole process group, or all there is. */
const thisMachine: KillSite = {
  environment: process.env,
  strike(folder, driver, random) {
    const chance = random();
    if (chance < 0.04) return send(driver.pid!, "SIGKILL");
    if (chance < 0.08) return send(-driver.pid!, "SIGKILL");
    if (chance < 0.11) return processesOf(folder).reduce((sum, { pid }) => sum + send(pid, "SIGKILL"), 0);
    return strikeProgram(folder, "worker-process.js", random, chance < 0.16 ? "SIGTERM" : "SIGKILL");
  },
};

/** Sends a signal to one of the processes that run a program for the run in a folder. */
export function strikeProgram(
  folder: string,
  program: string,
  random: () => number,
  signal: NodeJS.Signals = "SIGKILL",
): number {
  const all: RunningProcess[] = processesOf(folder).filter(({ args }) => args.some((arg) => arg.endsWith(program)));
  const victim = all[Math.floor(random() * all.length)];
  return victim === undefined ? 0 : send(victim.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): number {
  try {
    process.kill(pid, signal);
    return 1;
  } catch {
    return 0; // It has ended meanwhile.
  }
}

function startDriver(folder: string, scene: KillScene, { environment }: KillSite) {
  let stderr = "";
  const child = spawn(process.execPath, [script, folder, JSON.stringify(scene)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: environment,
    // A process group of its own, so that all of it can be killed.
    detached: true,
  });
  child.stderr!.on("data", (text) => (stderr = (stderr + text).slice(-8000)));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return { child, ended, stderr: () => stderr };
}
