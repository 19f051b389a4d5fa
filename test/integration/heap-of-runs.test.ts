// A process that makes one run after the other keeps nothing of those that are over.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ended } from "../support/ended.ts";

const child = fileURLToPath(new URL("../fixtures/children/heap-of-runs.mjs", import.meta.url));
/** Runs of each env that are measured; without it fewer, and fewest where each takes longest. */
const measured = process.env["MILLRACE_HEAP_RUNS"];

/** What the heap grows by with each run: the median slope between any two measurements, since each of them is off by some kilobytes. */
async function growthPerRun(env: string, [warmUp, runsEach]: readonly [number, number]): Promise<number> {
  // Compiled code counts as heap, and V8 continues compiling for thousands of runs; without it only what is kept is seen.
  const flags = ["--expose-gc", "--no-opt", "--no-sparkplug"];
  const args = [...flags, child, env, ...[warmUp, 5, runsEach].map(String)];
  const { code, stdout, stderr } = await ended(spawn(process.execPath, args));
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const { heaps } = JSON.parse(stdout) as { readonly heaps: readonly number[] };
  const slopes = heaps.flatMap((heap, i) =>
    heaps.slice(i + 1).map((later, between) => (later - heap) / ((between + 1) * runsEach)),
  );
  const growth = slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)]!;
  console.log(`${env}: ${growth.toFixed(0)} bytes a run; heaps: ${heaps.join(", ")}`);
  return growth;
}

describe.concurrent("the heap of a process", () => {
  const short = { local: [100, 40], thread: [40, 15], process: [40, 8] } as const;
  const long = [200, Math.ceil(Number(measured) / 5)] as const;
  const runs = Object.entries(short).map(([env, counts]) => [env, measured === undefined ? counts : long] as const);

  it.each(runs)(
    "does not grow with its runs in env: %s",
    { timeout: 300_000 + 2000 * Number(measured ?? 0) },
    async (env, counts) => {
      expect(await growthPerRun(env, counts)).toBeLessThan(1024);
    },
  );
});
