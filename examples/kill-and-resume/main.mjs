// Kills a run with SIGKILL half-way, continues it, and shows what was kept and what had to be done again.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineRun, isMainModule, range, runStatus } from "millrace";

const items = 3000;

export const squares = defineRun(import.meta, {
  // `note` logs every call of `forward`, so that items that ran twice can be counted.
  env: ({ log }) => ({ note: (idx) => appendFileSync(log, `${idx}\n`) }),
  // One millisecond of work for each item.
  forward: (idx, { note }) => {
    note(idx);
    const until = performance.now() + 1;
    while (performance.now() < until);
    return { idx, square: idx * idx };
  },
});

function run(outputDir) {
  return squares.run(range(items), {
    config: { log: logOf(outputDir) },
    outputDir: join(outputDir, "run"),
    shards: 8,
    progress: false,
  });
}

/** Starts this script again in a child process that works, and kills it when half of the items are done. */
async function runAndKill(outputDir) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), outputDir, "work"], { stdio: "inherit" });
  const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
  const timer = setInterval(() => {
    if (itemsRun(outputDir).length >= items / 2) child.kill("SIGKILL");
  }, 10);
  const signal = await ended;
  clearInterval(timer);
  return signal;
}

function logOf(outputDir) {
  return join(outputDir, "ran.log");
}

function itemsRun(outputDir) {
  try {
    return readFileSync(logOf(outputDir), "utf8").trimEnd().split("\n");
  } catch {
    return []; // no item has run yet
  }
}

async function main([outputDir = "exp/kill-and-resume", role]) {
  mkdirSync(outputDir, { recursive: true });
  if (role === "work") return run(outputDir);
  const before = itemsRun(outputDir).length;
  if (before === 0) {
    const signal = await runAndKill(outputDir);
    const { items: counts } = await runStatus(join(outputDir, "run"));
    const ran = itemsRun(outputDir).length;
    console.log(`ended by ${signal} after ${ran} of ${items} items; ${counts.done} are in whole shards`);
  }
  const records = await run(outputDir);
  const ran = itemsRun(outputDir);
  console.log(`continued: ${records.length} records; ${ran.length - new Set(ran).size} items had to be run twice`);
  const isComplete = records.every(({ idx, square }, at) => idx === at && square === at * at);
  console.log(isComplete ? "every record is there once, in the right order" : "RECORDS ARE MISSING");
  if (before > 0) console.log(`nothing was left to do: ${ran.length - before} items were run`);
}

if (isMainModule(import.meta)) await main(process.argv.slice(2));
