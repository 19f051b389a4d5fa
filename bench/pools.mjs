// The same work in the two best-known thread pools: tiny items in chunks, and results written in order.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Piscina } from "piscina";
import { Tinypool } from "tinypool";
import { workers } from "./work-item.mjs";

const filename = new URL("./pool-task.mjs", import.meta.url).href;
const pools = { piscina: Piscina, tinypool: Tinypool };

/** `queued` tasks wait at each thread: one is the default; with more, a thread need not wait for the next. */
export async function runInPool(name, { outputDir, count, job, chunk, queued }) {
  mkdirSync(outputDir, { recursive: true });
  const pool = new pools[name]({
    filename,
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: queued,
  });
  const tasks = [];
  for (let from = 0; from < count; from += chunk)
    tasks.push(pool.run({ from, to: Math.min(count, from + chunk), job }));
  const fd = openSync(join(outputDir, "records.jsonl"), "w");
  for (const task of tasks) writeSync(fd, await task);
  closeSync(fd);
  await pool.destroy();
}
