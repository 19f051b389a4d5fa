// The page about data preparation with providers and runners (seed 002), promise by promise.
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getParallelConfig, loadConfig, type ParallelInput, type RunPlace, range, setParallel } from "millrace";
import { describe, expect } from "vitest";
import {
  dropFirst,
  type PrepConfig,
  type PrepEnv,
  PrepProvider,
  PrepRunner,
} from "../../fixtures/seed-pages/page-classes.ts";
import { promisesOf } from "../../support/seed-pages/page-promises.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/seed-pages/${name}`, import.meta.url));
const config = { dataset: { count: 12 }, model: { frame: 5 } };
const quiet = { progress: false } as const;
const process2 = { ...quiet, parallel: { env: "process", n_workers: 2 } } as const;
const expected = (from = 0) =>
  Array.from({ length: 12 - from }, (_, i) => ({ utt_id: `utt${i + from}`, features: [2 * (i + from + 1)] }));

describe("data preparation", () => {
  const promise = promisesOf("data preparation");

  promise("the same code runs in one process and in several", async () => {
    const run = (options: object) => new PrepRunner(new PrepProvider(config), options).run(range(12));
    expect(await run(process2)).toEqual(await run(quiet));
  });
  promise("a provider builds dataset and model from the config, by static functions", async () => {
    const env = await new PrepProvider(config).buildEnvLocal();
    expect([env.dataset.length, env.model.extract(new Float32Array(20)).length]).toEqual([12, 4]);
  });
  promise("what the provider returns is what forward gets", async () => {
    expect(await new PrepRunner(new PrepProvider(config), quiet).run(range(12))).toEqual(expected());
  });
  promise("a provider works locally, in workers and detached, without changes", async () => {
    const outputDir = temporaryFolder();
    const submitted = await new PrepRunner(new PrepProvider(config), { ...process2, outputDir }).submit(range(12));
    expect(submitted.runDir).toBe(outputDir);
    const again = new PrepRunner(new PrepProvider(config), { ...process2, outputDir });
    expect(await again.run(range(12))).toEqual(expected());
  });
  promise("forward is static and is called with one index", async () => {
    const env = await new PrepProvider(config).buildEnvLocal();
    expect(PrepRunner.forward(3, env)).toEqual({ utt_id: "utt3", features: [8] });
  });
  promise("a sample that is filtered out leaves no record", async () => {
    const provider = new PrepProvider(config, { min_samples: 50 });
    expect(await new PrepRunner(provider, quiet).run(range(12))).toEqual(expected(4));
  });
  promise("further arguments come from the provider's params", async () => {
    const records = await new PrepRunner(new PrepProvider(config, { output_dir: "exp/data" }), quiet).run(range(1));
    expect(records).toEqual([{ ...expected()[0], output_dir: "exp/data" }]);
  });
  promise("further arguments come from the runner", async () => {
    const outputDir = temporaryFolder();
    class Seeing extends PrepRunner {
      static override forward(_idx: number, env: PrepEnv & RunPlace) {
        return { outputDir: env.outputDir };
      }
    }
    const records = await new Seeing(new PrepProvider(config), { ...quiet, outputDir }).run(range(1));
    expect(records).toEqual([{ outputDir }]);
  });
  promise("a cleaner is a function among the params, in workers too", async () => {
    const provider = new PrepProvider(config, { cleaner: dropFirst });
    expect(await new PrepRunner(provider, process2).run(range(12))).toEqual(expected(1));
  });
  promise("without a parallel section a run is local", async () => {
    setParallel({ env: "local" });
    const log = join(temporaryFolder(), "log");
    class Here extends PrepRunner {
      static override forward(...args: Parameters<typeof PrepRunner.forward>) {
        appendFileSync(log, `${process.pid}\n`);
        return PrepRunner.forward(...args);
      }
    }
    await new Here(new PrepProvider(config), quiet).run(range(3));
    expect(new Set(readFileSync(log, "utf8").trim().split("\n"))).toEqual(new Set([String(process.pid)]));
  });
  promise("the env of the driver is built once, also if build_env_local was called before", async () => {
    let builds = 0;
    class Counting extends PrepProvider {
      static override buildDataset(given: PrepConfig) {
        builds++;
        return super.buildDataset(given);
      }
    }
    const provider = new Counting(config);
    const { dataset } = await provider.buildEnvLocal();
    await new PrepRunner(provider, quiet).run(range(dataset.length));
    expect(builds).toBe(1);
  });
  promise("the indices are those of the provider's dataset", async () => {
    const provider = new PrepProvider(config);
    const { dataset } = await provider.buildEnvLocal();
    expect(await new PrepRunner(provider, quiet).run(range(dataset.length))).toHaveLength(12);
  });
  promise("a run returns the list of records", async () => {
    expect(await new PrepRunner(new PrepProvider(config), quiet).run(range(2))).toEqual(expected().slice(0, 2));
  });
  promise("the page's parallel section is read and accepted as it is written", async () => {
    const { parallel } = await loadConfig<{ parallel: ParallelInput }>(fixture("slurm-parallel.yaml"));
    expect(parallel).toEqual({
      env: "slurm",
      n_workers: 8,
      options: {
        queue: "gpu",
        cores: 8,
        processes: 1,
        memory: "32GB",
        walltime: "04:00:00",
        job_extra_directives: ["--gres=gpu:1"],
      },
    });
    const before = getParallelConfig();
    setParallel(parallel);
    expect(getParallelConfig()).toMatchObject({ env: "slurm", nWorkers: 8 });
    setParallel({ env: before?.env ?? "local" });
  });
  promise("set_parallel decides where the next run works, and no code changes", async () => {
    setParallel({ env: "process", n_workers: 2 });
    try {
      expect(await new PrepRunner(new PrepProvider(config), quiet).run(range(12))).toEqual(expected());
    } finally {
      setParallel({ env: "local" });
    }
  });
  promise("workers build their own env by a setup function", async () => {
    const setup = new PrepProvider(config).buildWorkerSetupFn();
    expect((await setup()).dataset).toHaveLength(12);
  });
  promise(
    "the setup function is made by make_worker_setup_fn",
    "differs: buildWorkerSetupFn, the name that ESPnet3 has in its later pages",
  );
  promise("async mode writes specifications, returns at once, and keeps results as JSONL", async () => {
    const folder = temporaryFolder();
    const [outputDir, asyncSpecsDir, asyncResultDir] = ["run", "specs", "results"].map((name) => join(folder, name));
    const options = { ...process2, outputDir: outputDir!, asyncSpecsDir, asyncResultDir };
    const jobs = await new PrepRunner(new PrepProvider(config), options).run(range(12), { asyncMode: true });
    expect([jobs.runDir, readdirSync(asyncSpecsDir!).length > 0]).toEqual([outputDir, true]);
    expect(await new PrepRunner(new PrepProvider(config), options).run(range(12))).toEqual(expected());
    await expect
      .poll(() => existsSync(asyncResultDir!) && readdirSync(asyncResultDir!).some((name) => name.endsWith(".jsonl")))
      .toBe(true);
  });
  promise("a folder for results is enough for async mode, without an output folder", async () => {
    const asyncResultDir = join(temporaryFolder(), "results");
    const newRunner = () => new PrepRunner(new PrepProvider(config), { ...process2, asyncResultDir });
    expect((await newRunner().run(range(12), { asyncMode: true })).runDir).toBe(join(asyncResultDir, "run"));
    expect(await newRunner().run(range(12))).toEqual(expected());
  });
  // job-spec.test.ts starts a task with one.
  promise("a specification is enough to start its task by hand", async () => {
    const [outputDir, asyncSpecsDir] = [temporaryFolder(), temporaryFolder()];
    const runner = new PrepRunner(new PrepProvider(config), { ...process2, outputDir, asyncSpecsDir });
    const { specs } = await runner.submit(range(12));
    expect(JSON.parse(readFileSync(specs[0]!, "utf8"))).toMatchObject({
      runDir: outputDir,
      task: 0,
      workers: 2,
      spec: { runner: { name: "PrepRunner" }, provider: { name: "PrepProvider" }, config },
    });
    expect(await new PrepRunner(new PrepProvider(config), { ...process2, outputDir }).run(range(12))).toHaveLength(12);
  });
  promise("dropped samples are counted", async () => {
    const outputDir = temporaryFolder();
    const provider = new PrepProvider(config, { min_samples: 50 });
    await new PrepRunner(provider, { ...quiet, outputDir, shards: 1 }).run(range(12));
    expect(JSON.parse(readFileSync(join(outputDir, "split.0/done"), "utf8"))).toMatchObject({ counts: { dropped: 4 } });
  });
  promise("side metadata is part of the returned record", async () => {
    const [first] = await new PrepRunner(new PrepProvider(config), quiet).run(range(1));
    expect(first).toEqual({ utt_id: "utt0", features: [2] });
  });
  promise("cleaning gives the same bytes wherever it runs", async () => {
    const bytes = async (options: object) => {
      const outputDir = temporaryFolder();
      const provider = new PrepProvider(config, { min_samples: 50 });
      await new PrepRunner(provider, { ...options, outputDir, mergeFiles: true }).run(range(12));
      return readFileSync(join(outputDir, "records.jsonl"), "utf8");
    };
    expect(await bytes(process2)).toBe(await bytes(quiet));
  });
  promise("records are JSONL that other programs read", async () => {
    const outputDir = temporaryFolder();
    await new PrepRunner(new PrepProvider(config), { ...quiet, outputDir, mergeFiles: true }).run(range(12));
    const lines = readFileSync(join(outputDir, "records.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(expected());
  });
});
