// A run of 10,000 shards with the dashboard open in another process and one page that watches, against the same run alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inFolder, ratioOfPairs, row } from "./measure.mjs";
import { runTiny } from "./tiny.mjs";

const shards = 10_000;
const itemsPerShard = 20;
const program = fileURLToPath(new URL("../dist/cli/millrace.js", import.meta.url));

export async function bench() {
  return [row("10,000 shards, watched in the dashboard / alone", await inFolder(watched), "x", 1.02)];
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

/** A page: it looks for the run, then follows its events. */
function watch(address, folder) {
  let isOver = false;
  let events = 0;
  let stream;
  const following = (async () => {
    while (!isOver) {
      const cards = JSON.parse(await textOf(new URL("/api/runs", address)));
      const card = cards.find((one) => one.folder === folder);
      if (card !== undefined) {
        stream = get(new URL(`/api/runs/${card.id}/events`, address), (response) => {
          response.on("error", () => {}).on("data", () => events++);
        }).on("error", () => {});
        return;
      }
      await sleep(200);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await following;
      stream?.destroy();
      if (events === 0) throw new Error("the page has seen nothing of the run");
    },
  };
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
