// The page about x-vectors with provider and runner (seed 003), promise by promise.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EnvironmentProvider, loadConfig, type ParallelInput, range } from "millrace";
import { readPt } from "millrace/formats";
import { checkXVectors, extractXVectors, readManifest, type XVectorConfig, XVectorProvider } from "millrace/recipes";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import * as mistakes from "../../fixtures/runners/mistakes.mjs";
import { MyProvider, MyRunner, PageProvider, PageRunner } from "../../fixtures/seed-pages/page-classes.ts";
import { makeVoices } from "../../support/recipes/voices.ts";
import { removeFolder } from "../../support/remove-folder.ts";
import { promisesOf } from "../../support/seed-pages/page-promises.ts";
import { sharedIsAbsent, sharedPath } from "../../support/shared-path.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/seed-pages/${name}`, import.meta.url));
const quiet = { progress: false } as const;
const checkpoint = sharedPath("data/models/speechbrain/spkrec-ecapa-small");
let data: string;

/** The page's config, with another model and device: what is tested without them is the rest of it. */
const load = (...more: string[]) =>
  loadConfig<XVectorConfig>(fixture("xvector.yaml"), [`+data_dir="${data}"`, ...more]);
const builtin = ["xvector.toolkit=builtin", "~xvector.pretrained_model", "xvector.device=cpu", "+xvector.report=false"];

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "millrace-test-"));
  const manifests = join(data, "manifest");
  mkdirSync(manifests, { recursive: true });
  makeVoices(manifests, { speakers: 2, utterances: 2 });
  for (const split of ["train", "valid", "test"])
    cpSync(join(manifests, "manifest.tsv"), join(manifests, `${split}.tsv`));
});

afterAll(() => removeFolder(data));

describe("x-vectors", () => {
  const promise = promisesOf("x-vectors");

  promise("the page's parallel and runner sections are read as they are written", async () => {
    expect(await loadConfig(fixture("local-parallel.yaml"))).toEqual({
      parallel: { env: "local", n_workers: 3, options: {} },
      runner: { batch_size: null },
    });
  });
  promise("a local run goes over the items in order", async () => {
    const { parallel } = await loadConfig<{ parallel: ParallelInput }>(fixture("local-parallel.yaml"));
    const log = join(temporaryFolder(), "log");
    const provider = new PageProvider({ items: 5, log });
    expect(await new PageRunner(provider, { ...quiet, parallel }).run(range(5))).toEqual([0, 1, 4, 9, 16]);
  });
  promise(
    "n_workers is ignored in local mode",
    "differs: it runs that many workers, as ESPnet3 does since September 2026",
  );
  promise(
    "a local run is one shard",
    "differs: more shards than workers, so that a killed run repeats little and another env can continue it",
  );
  promise("batch_size: null gives forward one index a call", async () => {
    const seen: unknown[] = [];
    class Seeing extends PageRunner {
      static override forward(...args: Parameters<typeof PageRunner.forward>) {
        seen.push(args[0]);
        return PageRunner.forward(...args);
      }
    }
    const { runner } = await loadConfig<{ runner: { batch_size: number | null } }>(fixture("local-parallel.yaml"));
    const batchSize = runner.batch_size ?? undefined;
    await new Seeing(new PageProvider({ items: 3 }), { ...quiet, shards: 1, batchSize }).run(range(3));
    expect(seen).toEqual([0, 1, 2]);
  });
  promise("all settings are in one section, whose paths are made of data_dir", async () => {
    const { xvector } = await load();
    expect(xvector).toEqual({
      toolkit: "speechbrain",
      pretrained_model: "speechbrain/spkrec-ecapa-voxceleb",
      device: "cuda:0",
      spk_embed_tag: "spkrec-ecapa-voxceleb",
      save_path: `${data}/x_vectors`,
      batch_size: 20,
      manifest_paths: Object.fromEntries(
        ["train", "valid", "test"].map((split) => [split, `${data}/manifest/${split}.tsv`]),
      ),
      splits: ["train", "valid", "test"],
    });
  });
  promise(
    "the page's config gives an embedding for every utterance",
    async () => {
      // A folder in the layout of the repository: no test needs the network.
      const summaries = await extractXVectors(
        await load("xvector.device=cpu", `xvector.pretrained_model="${checkpoint}"`, "xvector.spk_embed_tag=ecapa"),
        quiet,
      );
      expect(summaries.map(({ written }) => written)).toEqual([4, 4, 4]);
    },
    checkpoint === undefined ? `skipped: ${sharedIsAbsent}` : undefined,
  );
  promise("audio of another rate needs no resampling by the user", async () => {
    const wav = encodeWav(
      new Float32Array(22_050).map((_, i) => Math.sin(i / 20) / 2),
      { sampleRate: 22_050 },
    );
    writeFileSync(join(data, "manifest/other.wav"), wav);
    writeFileSync(join(data, "manifest/other.tsv"), "other\tother.wav\twords\ts0\n");
    const more = [
      "xvector.spk_embed_tag=rate",
      "+xvector.manifest_paths.other=${data_dir}/manifest/other.tsv",
      "xvector.splits=[other]",
    ];
    const [summary] = await extractXVectors(await load(...builtin, ...more), quiet);
    expect(summary).toMatchObject({ split: "other", written: 1, failed: 0 });
  });
  promise("the provider is an environment provider, and builds the env once for a process", async () => {
    const params = { manifest_path: `${data}/manifest/train.tsv`, output_dir: join(data, "out") };
    const provider = new XVectorProvider(await load(...builtin), params);
    expect(provider).toBeInstanceOf(EnvironmentProvider);
    const env = await provider.buildEnvLocal();
    expect(env).toMatchObject({ toolkit: "builtin", device: "cpu", outputDir: params.output_dir });
    await provider.teardown(env);
  });
  promise("utterances[idx] of the env is a pair of id and path", async () => {
    const params = { manifest_path: `${data}/manifest/train.tsv`, output_dir: join(data, "out") };
    const provider = new XVectorProvider(await load(...builtin), params);
    const env = await provider.buildEnvLocal();
    expect(env.utterances[0]).toEqual([expect.any(String), expect.stringMatching(/\.wav$/)]);
    await provider.teardown(env);
  });
  promise("the env has the key output_dir", "differs: outputDir, as all names are camelCase");
  promise("build_worker_setup_fn returns a function without arguments", async () => {
    const params = { manifest_path: `${data}/manifest/train.tsv`, output_dir: join(data, "out") };
    const setup = new XVectorProvider(await load(...builtin), params).buildWorkerSetupFn();
    expect([typeof setup, setup.length]).toEqual(["function", 0]);
  });
  promise("the device is cpu if none is given", async () => {
    const params = { manifest_path: `${data}/manifest/train.tsv`, output_dir: join(data, "out") };
    const provider = new XVectorProvider(await load(...builtin, "xvector.device=null"), params);
    const env = await provider.buildEnvLocal();
    expect(env.device).toBe("cpu");
    await provider.teardown(env);
  });
  promise("self may not be used in the setup function", "differs: it may; the provider is made again in the worker");
  promise("a manifest has id, path, text and speaker, separated by tabs", async () => {
    writeFileSync(join(data, "manifest/short.tsv"), "s0-u0\twav/s0-u0.wav\n");
    const more = ["+xvector.manifest_paths.short=${data_dir}/manifest/short.tsv", "xvector.splits=[train,short]"];
    const { splits } = await checkXVectors(await load(...builtin, ...more));
    expect(splits).toMatchObject([
      { split: "train", utterances: 4, speakers: 2, problems: [] },
      { split: "short", problems: [{ line: 1 }] },
    ]);
  });
  promise("manifests are read by a function that is yours to call", () => {
    expect(readManifest(`${data}/manifest/train.tsv`)).toHaveLength(4);
  });
  promise("vectors are in save_path/tag/split, one float32 tensor an utterance", async () => {
    const config = await load(...builtin, "xvector.spk_embed_tag=layout");
    await extractXVectors(config, quiet);
    for (const split of ["train", "valid", "test"]) {
      const file = join(data, "x_vectors/layout", split, "s0-u0.pt");
      expect(existsSync(file)).toBe(true);
      expect(readPt(file)).toMatchObject({ dtype: "float32", shape: [46] });
    }
  });
  promise("the skeleton of a new task works as it is, in workers too", async () => {
    const run = (options: object) =>
      new MyRunner(new MyProvider({ items: 4 }, { data_path: "abc" }), options).run(range(4));
    const records = await run(quiet);
    expect(records[1]).toEqual({ idx: 1, result: 5, status: "ok" });
    expect(await run({ ...quiet, parallel: { env: "process", n_workers: 2 } })).toEqual(records);
  });
  promise("a runner that handles an index and a list gives the same for both", async () => {
    const run = (options: object) =>
      new MyRunner(new MyProvider({ items: 4 }, { data_path: "abc" }), options).run(range(4));
    expect(await run({ ...quiet, batchSize: 3 })).toEqual(await run(quiet));
  });
  promise("the number of items is that of the dataset", async () => {
    const provider = new MyProvider({ items: 4 }, { data_path: "abc" });
    expect(await new MyRunner(provider, quiet).run(range(provider.buildEnvLocal().dataset.length))).toHaveLength(4);
  });
  promise("mistake 1: a key that the provider names otherwise is an error, not silence", async () => {
    const run = new mistakes.GoodRunner(new mistakes.ShortKeyProvider({}), quiet).run(range(4));
    await expect(run).rejects.toThrow(/model/);
  });
  promise("mistake 2: an env in the place of a setup function is an error", async () => {
    const parallel = { env: "process", n_workers: 2 } as const;
    const run = new mistakes.GoodRunner(new mistakes.ObjectSetupProvider({}), { ...quiet, parallel }).run(range(4));
    await expect(run).rejects.toMatchObject({ code: "BAD_PROVIDER" });
  });
  promise(
    "mistake 3: a model that is loaded in forward",
    "differs: it is still possible, and still slow; nothing can tell it from work",
  );
  promise("mistake 4: a forward that takes a list for a number is an error", async () => {
    const runner = new mistakes.GoodRunner(new mistakes.GoodProvider({}), { ...quiet, batchSize: 2 } as never);
    await expect(runner.run(range(4))).rejects.toThrow(/batch|array|list/i);
  });
  promise("the page's keys pass the check of the section, also in one file with others", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "training.yaml"),
      `data_dir: ${data}\nunused: \${nope}\n${readFileSync(fixture("xvector.yaml"), "utf8")}`,
    );
    const config = await loadConfig<XVectorConfig>(
      join(folder, "training.yaml"),
      [...builtin, "xvector.splits=[test]"],
      { lazy: true },
    );
    const [summary] = await extractXVectors(config, quiet);
    expect(summary).toMatchObject({ split: "test", written: 4 });
  });
  // xvector-cli.test.ts has the default manifest paths and async_mode.
  promise("splits may be a text, and device: null is the CPU where there is no GPU", async () => {
    const config = await load(...builtin, "xvector.splits=valid", "xvector.device=null", "xvector.spk_embed_tag=text");
    expect(await extractXVectors(config, quiet)).toMatchObject([{ split: "valid", written: 4 }]);
  });
});
