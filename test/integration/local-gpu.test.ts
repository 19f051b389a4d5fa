// With a fake nvidia-smi, a script that prints what the real one would: no GPU is needed, and none is used.
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { range } from "millrace";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerReportProvider, WorkerReportRunner } from "../fixtures/runners/reports-its-worker.ts";
import { leftovers, nothing } from "../support/leftovers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeEach(() => {
  vi.stubEnv("CUDA_VISIBLE_DEVICES", undefined);
  return () => vi.unstubAllEnvs();
});

/** Puts a fake nvidia-smi before any real one. */
function pretendDevices(...indices: number[]): void {
  const folder = temporaryFolder();
  const lines = indices.map((index) => `echo ${index}\n`).join("");
  writeFileSync(join(folder, "nvidia-smi"), `#!/bin/sh\n${lines}`);
  chmodSync(join(folder, "nvidia-smi"), 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
}

/** Runs until `n_workers` workers have taken part; returns the devices they saw, one entry a worker. */
async function devicesSeen(
  n_workers: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<(string | null)[]> {
  const group = { folder: temporaryFolder(), size: n_workers };
  const provider = new WorkerReportProvider({ variables: ["CUDA_VISIBLE_DEVICES"], group });
  const outputDir = temporaryFolder();
  const records = await new WorkerReportRunner(provider, {
    progress: false,
    outputDir,
    shards: 8,
    parallel: { env: "local_gpu", n_workers, options },
    signal: AbortSignal.timeout(40_000),
  }).run(range(8));
  const byWorker = new Map(records.map(({ pid, variables }) => [pid, variables["CUDA_VISIBLE_DEVICES"]!]));
  expect(await leftovers(outputDir)).toEqual(nothing);
  return [...byWorker.values()].sort();
}

/** The error of a run that is refused before anything is started. */
async function refusal(parallel: object): Promise<unknown> {
  const provider = new WorkerReportProvider({ variables: [] });
  const runner = new WorkerReportRunner(provider, { progress: false, parallel: { env: "local_gpu", ...parallel } });
  return runner.run(range(8)).then(
    () => "it ran",
    (error: unknown) => error,
  );
}

describe("workers on GPUs", () => {
  it("see one device each", async () => {
    pretendDevices(0, 1);
    expect(await devicesSeen(2)).toEqual(["0", "1"]);
  });

  it("share the devices, as many on each as workers_per_gpu says", async () => {
    pretendDevices(0, 1);
    expect(await devicesSeen(4, { workers_per_gpu: 2 })).toEqual(["0", "0", "1", "1"]);
  });

  it("may be fewer than the devices", async () => {
    pretendDevices(0, 1, 2, 3);
    expect(await devicesSeen(1)).toEqual(["0"]);
  });

  it.each([
    ["by index", "3,1", ["1", "3"]],
    ["by name", "GPU-5f0c1a2b-77aa, MIG-GPU-9e1d/1/0", ["GPU-5f0c1a2b-77aa", "MIG-GPU-9e1d/1/0"]],
  ])("stay within the devices that were given to this process, %s", async (_how, mask, expected) => {
    pretendDevices(0, 1, 2, 3);
    vi.stubEnv("CUDA_VISIBLE_DEVICES", mask);
    expect(await devicesSeen(2)).toEqual(expected);
  });
});

describe("workers on GPUs are refused", () => {
  it("where there are more of them than the devices carry, with how many that are", async () => {
    pretendDevices(0, 1);
    expect(await refusal({ n_workers: 3 })).toMatchObject({
      code: "NO_GPU",
      message: expect.stringContaining("parallel.n_workers is 3, but there are 2 devices (0, 1) with 1 worker each."),
      hint: expect.stringContaining("Set n_workers to 2 at most, or options.workers_per_gpu"),
    });
    expect(await refusal({ n_workers: 5, options: { workers_per_gpu: 2 } })).toMatchObject({
      message: expect.stringContaining("with 2 workers each"),
    });
    vi.stubEnv("CUDA_VISIBLE_DEVICES", "1");
    expect(await refusal({ n_workers: 2 })).toMatchObject({
      message: expect.stringContaining("there is 1 device (1)"),
    });
  });

  it.each(["-1", "", "none", "-1,0"])("where the devices are hidden from this process (%j)", async (mask) => {
    pretendDevices(0, 1);
    vi.stubEnv("CUDA_VISIBLE_DEVICES", mask);
    expect(await refusal({ n_workers: 1 })).toMatchObject({
      code: "NO_GPU",
      message: expect.stringContaining(`CUDA_VISIBLE_DEVICES=${JSON.stringify(mask)} hides all devices`),
    });
  });

  it("where there is no nvidia-smi, or it finds nothing, with what to do", async () => {
    pretendDevices();
    expect(await refusal({ n_workers: 1 })).toMatchObject({
      code: "NO_GPU",
      message: expect.stringContaining("nvidia-smi lists no device"),
    });
    vi.stubEnv("PATH", temporaryFolder());
    expect(await refusal({ n_workers: 1 })).toMatchObject({
      code: "NO_GPU",
      message: expect.stringContaining("nvidia-smi could not be asked"),
      hint: expect.stringContaining("Use env: process for work on the CPU"),
    });
  });

  it("where an option is not known, with the nearest one", async () => {
    pretendDevices(0);
    expect(await refusal({ n_workers: 1, options: { worker_per_gpu: 2 } })).toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringContaining('"worker_per_gpu" is not known to env local_gpu'),
      hint: expect.stringMatching(/Did you mean workers_per_gpu\?.*threads_per_worker, max_heap_mb/),
    });
    expect(await refusal({ n_workers: 1, options: { workers_per_gpu: 0 } })).toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringContaining("parallel.options.workers_per_gpu is 0"),
    });
  });
});
