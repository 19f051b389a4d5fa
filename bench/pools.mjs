// The same work in the two best known pools of threads, used as well as they can be: tiny items in chunks.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Piscina } from "piscina";
import { Tinypool } from "tinypool";
import { workers, workItem } from "./work-item.mjs";

const filename = new URL(import.meta.url).href;
const pools = {
  piscina: () => new Piscina({ filename, minThreads: workers, maxThreads: workers, concurrentTasksPerWorker: 4 }),
  tinypool: () => new Tinypool({ filename, minThreads: workers, maxThreads: workers, concurrentTasksPerWorker: 4 }),
};

/** One task: some items of the job. */
export default function runChunk({ from, to, job }) {
  let text = "";
  for (let idx = from; idx < to; idx++) text += `${JSON.stringify(workItem(idx, job))}\n`;
  return text;
}

export async function runInPool(name, { outputDir, count, job, chunk }) {
  mkdirSync(outputDir, { recursive: true });
  const pool = pools[name]();
  const tasks = [];
  for (let from = 0; from < count; from += chunk)
    tasks.push(pool.run({ from, to: Math.min(count, from + chunk), job }));
  const fd = openSync(join(outputDir, "records.jsonl"), "w");
  for (const task of tasks) writeSync(fd, await task);
  closeSync(fd);
  await pool.destroy();
}
