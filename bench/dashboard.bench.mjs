// A run of 10,000 shards of a millisecond with the dashboard in another process and one open page, compared with the
// same run alone. Empty shards would be over too soon and measure the machine: two runs of one and a half seconds
// differ by six per cent even without a dashboard.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inFolder, median, memory, row, timeMs } from "./measure.mjs";
import { calibrate } from "./work-item.mjs";
import { runBurning } from "./worker-jobs.mjs";

const shards = 10_000;
const itemsPerShard = 20;
const pairs = 9;
const self = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL("../dist/cli/millrace.js", import.meta.url));

export async function bench() {
  const job = { itemMs: 1 / itemsPerShard, loopsPerMs: calibrate() };
  return [
    row(
      "10,000 shards of 1 ms, watched in the dashboard / alone, on the disk",
      await inFolder((folder) => watched(folder, job)),
      "x",
      1.02,
    ),
    row("the same in memory", await inFolder((folder) => watched(folder, job), memory), "x", 1.02),
  ];
}

/** The sides alternate in going first, on an idle disk: a run's data is still being written for seconds after it. */
async function watched(folder, job) {
  const ratios = [];
  for (let i = 0; i <= pairs; i++) {
    const sides = i % 2 === 0 ? [alone, whileWatched] : [whileWatched, alone];
    const ms = new Map();
    for (const side of sides) ms.set(side, await side(join(folder, `${side.name}-${i}`), job));
    if (i > 0) ratios.push(ms.get(whileWatched) / ms.get(alone));
  }
  return median(ratios);
}

async function alone(folder, job) {
  await rest();
  return timeMs(() => run(join(folder, "run"), job));
}

async function whileWatched(folder, job) {
  mkdirSync(folder);
  const dashboard = spawn(process.execPath, [program, "dashboard", folder, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [address] = await once(dashboard.stdout.setEncoding("utf8"), "data");
  const page = watch(new URL(address), folder);
  await rest();
  try {
    return await timeMs(() => run(join(folder, "run"), job));
  } finally {
    await page.stop();
    dashboard.kill("SIGINT");
    await once(dashboard, "close");
  }
}

/** Waits until started processes are idle and nothing is left to be written. */
async function rest() {
  await sleep(500);
  spawnSync("sync");
}

function run(outputDir, job) {
  return runBurning(outputDir, shards * itemsPerShard, job, { shards });
}

/** A page, in its own process: the run leaves this process no time. */
function watch(address, folder) {
  const page = spawn(process.execPath, [self, address.href, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let hasSeen = false;
  page.stdout.on("data", () => {
    hasSeen = true;
  });
  return {
    async stop() {
      page.kill();
      await once(page, "close");
      if (!hasSeen) throw new Error("the page has seen nothing of the run");
    },
  };
}

/** Waits for the run, finds it, follows its events and reports that. */
async function follow(address, folder) {
  while (!existsSync(join(folder, "run", "split.0"))) await sleep(20);
  for (;;) {
    const [card] = JSON.parse(await textOf(new URL("/api/runs", address)));
    if (card !== undefined) {
      get(new URL(`/api/runs/${card.id}/events`, address), (response) => {
        response.on("data", () => process.stdout.write("."));
      });
      return;
    }
    await sleep(200);
  }
}

function textOf(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve(text)).on("error", reject);
    }).on("error", reject);
  });
}

if (process.argv[1] === self) await follow(process.argv[2], process.argv[3]);
