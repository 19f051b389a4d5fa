// A run of 10,000 shards with the dashboard open in another process and one page that watches, against the same run alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inFolder, memory, ratioOfPairs, row } from "./measure.mjs";
import { runTiny } from "./tiny.mjs";

const shards = 10_000;
const itemsPerShard = 20;
const self = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL("../dist/cli/millrace.js", import.meta.url));

export async function bench() {
  return [
    row("10,000 shards, watched in the dashboard / alone, on the disk", await inFolder(watched), "x", 1.02),
    row("the same in memory", await inFolder(watched, memory), "x", 1.02),
  ];
}

async function watched(folder) {
  const shown = join(folder, "shown");
  mkdirSync(shown);
  const dashboard = spawn(process.execPath, [program, "dashboard", shown, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [address] = await once(dashboard.stdout.setEncoding("utf8"), "data");
    const run = (dir) => runTiny(dir, shards * itemsPerShard, { shards });
    return await ratioOfPairs(
      7,
      (i) => run(join(folder, `alone-${i}`)),
      async (i) => {
        const page = watch(new URL(address), `run-${i}`);
        await run(join(shown, `run-${i}`));
        await page.stop();
      },
    );
  } finally {
    dashboard.kill("SIGINT");
  }
}

/** A page, in a process of its own: the run leaves this one no time. */
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

/** Looks for the run, then follows its events and says so. */
async function follow(address, folder) {
  for (;;) {
    const cards = JSON.parse(await textOf(new URL("/api/runs", address)));
    const card = cards.find((one) => one.folder === folder);
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
