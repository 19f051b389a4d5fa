// Items that wait 200 ms for a server: many in flight, beside loops that keep nothing; a limit of the rate; a kill;
// failing items.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { range } from "millrace";
import pLimit from "p-limit";
import pMap from "p-map";
import { callApi, callInBatches, fetchItems } from "./api-items.mjs";
import { inFolder, median, row, timeMs } from "./measure.mjs";

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const concurrency = 64;
const latencyMs = 200;
const rounds = 3;

export function bench() {
  return inFolder(async (folder) => [
    ...(await besideLoops(folder)),
    ...(await underLimit(folder)),
    ...(await killed(folder)),
    ...(await failingInBatches(folder)),
  ]);
}

/** Calls a function with the address of a server, and ends the server. */
async function withServer(settings, act) {
  const child = spawn(process.execPath, [script("./api-server.mjs"), JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [url] = await once(createInterface(child.stdout), "line");
    return await act(url, async () => (await fetch(`${url}/counts`)).json());
  } finally {
    child.kill();
  }
}

/** Whole runs, started and merged, against loops of the same concurrency and against what the latency allows. */
function besideLoops(folder) {
  const count = concurrency * 50;
  const idealMs = (count / concurrency) * latencyMs;
  return withServer({ latencyMs }, async (url) => {
    const options = { config: { url }, concurrency, progress: false };
    const times = { ours: [], limit: [], map: [] };
    const limit = pLimit(concurrency);
    for (let i = 0; i < rounds; i++) {
      const outputDir = join(folder, `many-${i}`);
      times.ours.push(await timeMs(() => callApi.run(range(count), { ...options, outputDir })));
      times.limit.push(
        await timeMs(() => Promise.all([...range(count)].map((idx) => limit(() => fetchItems(url, [idx]))))),
      );
      times.map.push(await timeMs(() => pMap(range(count), (idx) => fetchItems(url, [idx]), { concurrency })));
    }
    const against = (theirs) => median(times.ours.map((ms, i) => ms / theirs[i]));
    return [
      row("200 ms a call, 64 in flight: time to what the latency allows", median(times.ours) / idealMs, "x", 1 / 0.95),
      row("the same, to a p-limit loop", against(times.limit), "x", 1 / 0.97),
      row("the same, to a p-map loop", against(times.map), "x", 1 / 0.97),
    ];
  });
}

/** 5 % of the calls get a 503, and the server refuses more than 50 a second. */
function underLimit(folder) {
  const perSecond = 50;
  const count = 1000;
  return withServer({ latencyMs, refusedShare: 0.05, perSecond }, async (url, counts) => {
    const options = { config: { url }, concurrency, progress: false, retries: 10, onError: "skip" };
    const parallel = { env: "process", nWorkers: 2 };
    const rateLimit = { perSecond, burst: 6 };
    const outputDir = join(folder, "limit");
    await callApi.run(range(count), { ...options, outputDir, rateLimit, parallel });
    const { calls, tooMany, items, firstMs, lastMs } = await counts();
    return [
      // From the first call on: two processes take a second to start on a busy machine.
      row(
        "50 a second, 5 % refused, 2 workers: time to what the limit allows",
        (lastMs - firstMs) / ((calls / perSecond) * 1000),
        "x",
        1 / 0.95,
      ),
      // Calls begin in time; the first ones of a worker, which open connections, arrive together.
      row("the same: calls that the server counts as too many", (100 * tooMany) / calls, "%", 1),
      row("the same: items without an answer", count - items, "items", 0),
    ];
  });
}

/** Kills a run with 500 calls in flight at a random moment, and completes it. */
async function killed(folder) {
  const open = 500;
  const count = 10_000;
  const again = [];
  for (let i = 0; i < 3; i++)
    await withServer({ latencyMs }, async (url, counts) => {
      const start = () =>
        spawn(process.execPath, [script("./api-items.mjs"), join(folder, `kill-${i}`), url, count, open], {
          stdio: "inherit",
        });
      const first = start();
      const ended = once(first, "exit");
      while ((await counts()).items < open) await sleep(20);
      await sleep(Math.random() * 2500);
      first.kill("SIGKILL");
      await ended;
      await once(start(), "exit");
      again.push((await counts()).items - count);
    });
  return [row("killed with 500 in flight: calls made again (worst of 3)", Math.max(...again), "calls", open)];
}

function failingInBatches(folder) {
  const count = 6400;
  return withServer({ latencyMs }, async (url, counts) => {
    const options = { config: { url }, concurrency: 8, progress: false, retries: 3, onError: "skip" };
    await callInBatches.run(range(count), { ...options, outputDir: join(folder, "batches") });
    return [row("5 % failing permanently in batches of 64: items sent", (await counts()).items / count, "x", 1.1)];
  });
}
