// A process that opens a dataset once and prints what that took: time and memory of a worker, without those of the library.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const self = fileURLToPath(import.meta.url);

/** `openMs`, `openCpuMs` and `memoryMb` of a new process. */
export async function openInProcess(path) {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", self, path]);
  return JSON.parse(stdout);
}

if (process.argv[1] === self) {
  const { openJsonl } = await import("../dist/datasets.js");
  globalThis.gc();
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const data = await openJsonl(process.argv[2]);
  const openMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  for (let i = 0; i < data.length; i += 4096) data.at(i);
  const memoryMb = (process.memoryUsage().rss - before) / 2 ** 20;
  console.log(JSON.stringify({ openMs, openCpuMs: (user + system) / 1000, memoryMb }));
}
