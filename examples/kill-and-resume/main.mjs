// Kills itself with SIGKILL half-way through a run, goes on, and shows what was kept and what had to be done again.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseRunner, EnvironmentProvider, isMainModule, range, runStatus } from "millrace";

const items = 3000;

export class SlowProvider extends EnvironmentProvider {
  static module = import.meta.url;

  /** `note` writes down which items were really run, whoever ran them. */
  buildEnvLocal() {
    return { note: (idx) => appendFileSync(this.config.log, `${idx}\n`) };
  }
}

export class SlowRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, { note }) {
    note(idx);
    const until = performance.now() + 1;
    while (performance.now() < until);
    return { idx, square: idx * idx };
  }
}

async function run(outputDir) {
  const provider = new SlowProvider({ log: join(outputDir, "ran.log") });
  return new SlowRunner(provider, { outputDir: join(outputDir, "run"), shards: 8, progress: false }).run(range(items));
}

/** Starts this script again as the one that works, and gives it no chance to say goodbye once half of the items are done. */
async function runAndKill(outputDir) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), outputDir, "work"], { stdio: "inherit" });
  const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
  const timer = setInterval(() => {
    if (ranIn(outputDir).length >= items / 2) child.kill("SIGKILL");
  }, 10);
  const signal = await ended;
  clearInterval(timer);
  return signal;
}

function ranIn(outputDir) {
  try {
    return readFileSync(join(outputDir, "ran.log"), "utf8").trimEnd().split("\n");
  } catch {
    return []; // nothing has been run yet
  }
}

async function main([outputDir = "exp/kill-and-resume", role]) {
  mkdirSync(outputDir, { recursive: true });
  if (role === "work") return run(outputDir);
  const before = ranIn(outputDir).length;
  if (before === 0) {
    const signal = await runAndKill(outputDir);
    const { items: seen } = await runStatus(join(outputDir, "run"));
    console.log(
      `ended by ${signal} after ${ranIn(outputDir).length} of ${items} items; ${seen.done} are in whole shards`,
    );
  }
  const records = await run(outputDir);
  const ran = ranIn(outputDir);
  console.log(`went on: ${records.length} records; ${ran.length - new Set(ran).size} items had to be run twice`);
  const isWhole = records.every(({ idx, square }, at) => idx === at && square === at * at);
  console.log(isWhole ? "every record is there once, in its place" : "RECORDS ARE MISSING");
  if (before > 0) console.log(`nothing was left to do: ${ran.length - before} items were run`);
}

if (isMainModule(import.meta.url)) await main(process.argv.slice(2));
