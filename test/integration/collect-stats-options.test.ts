// How collectStats is called: with things, with a config, with a provider; and what it refuses.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EnvironmentProvider, loadConfig, readFailures } from "millrace";
import { readScp } from "millrace/formats";
import { type CollectStatsEnv, CollectStatsRunner, collectStats } from "millrace/recipes";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dataset = Array.from({ length: 10 }, (_, i) => ({ x: new Float32Array(i + 1).fill(i) }));
const model = { collectFeats: ({ x, x_lengths }: Record<string, never>) => ({ x: x!, x_lengths: x_lengths! }) };
const quiet = { progress: false, parallel: { env: "local" } } as const;
const count = 55;

describe("collectStats", () => {
  it("takes a dataset and a model as they are", async () => {
    const outputDir = temporaryFolder();
    const { sum, sq, count: counts } = await collectStats({ dataset, model, outputDir, mode: "train", ...quiet });
    expect(counts).toEqual({ x: count, x_lengths: 10 });
    expect(sum["x"]).toEqual(Float64Array.of(dataset.reduce((total, _, i) => total + i * (i + 1), 0)));
    expect(sq["x_lengths"]).toEqual(Float64Array.of(385));
    expect(readFileSync(join(outputDir, "train", "stats_keys"), "utf8")).toBe("x\nx_lengths\n");
  });

  it("takes the split of an object that has several", async () => {
    const splits = { train: dataset, valid: dataset.slice(0, 2) };
    const given = { dataset: splits, model, outputDir: temporaryFolder(), ...quiet };
    expect((await collectStats({ ...given, mode: "valid" })).count["x_lengths"]).toBe(2);
    await expect(collectStats({ ...given, mode: "test" })).rejects.toThrow(/under test/);
  });

  it("takes a collate function, and kwargs for the model", async () => {
    const { sum } = await collectStats({
      dataset,
      model: { collectFeats: ({ n, factor }: { n: number[]; factor: number }) => ({ n: n.map((i) => i * factor) }) },
      collateFn: (samples: readonly (readonly [string, { x: Float32Array }])[]) => [
        samples.map(([uid]) => uid),
        { n: samples.map(([, { x }]) => x.length) },
      ],
      collectStatsKwargs: { factor: 2 },
      outputDir: temporaryFolder(),
      mode: "train",
      ...quiet,
    });
    expect(sum["n"]).toEqual(Float64Array.of(2 * count));
  });

  it("refuses kwargs that the batch has too, before anything is written", async () => {
    const outputDir = temporaryFolder();
    const given = { dataset, model, outputDir, mode: "train", collectStatsKwargs: { x: 1 }, ...quiet };
    await expect(collectStats(given)).rejects.toThrow(/conflict with keys of the batch: x/);
  });

  it("lists features by absolute paths, or by paths from the list, where that is asked for", async () => {
    const outputDir = temporaryFolder();
    const given = { dataset, model, outputDir, writeCollectedFeats: true, ...quiet };
    const linesOf = async (mode: string, options: object) => {
      await collectStats({ ...given, mode, ...options });
      return readFileSync(join(outputDir, mode, "collect_feats", "x.scp"), "utf8").split("\n")[0];
    };
    const data = "collect_feats/data_x/0.npy";
    expect(await linesOf("a", { scpPaths: "absolute" })).toBe(`0 ${join(outputDir, "a", "split.0", data)}`);
    expect(await linesOf("b", { scpPaths: "list" })).toBe(`0 ../split.0/${data}`);
    // The output is not below the working folder here.
    expect(await linesOf("c", {})).toBe(`0 ${join(outputDir, "c", "split.0", data)}`);
    await expect(linesOf("d", { scpPaths: "recip" })).rejects.toThrow(/Did you mean recipe\?/);
  });

  it("builds everything in the workers from the sections of a config", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "node_modules"));
    symlinkSync(root, join(project, "node_modules", "millrace"));
    writeFileSync(join(project, "package.json"), '{"type":"module"}');
    writeFileSync(
      join(project, "job.js"),
      `export class Organizer { constructor({ size }) { this.train = { length: size, get: (i) => ["utt" + i, { n: i }] }; } }
export class Model { collectFeats({ n, scale }) { return { n: n.map((i) => i * scale) }; } }
export function makeCollate() { return (samples) => [samples.map(([uid]) => uid), { n: samples.map(([, { n }]) => n) }]; }
`,
    );
    writeFileSync(
      join(project, "stats.yaml"),
      'model: { _target_: "./job.js#Model" }\ndataset: { _target_: "./job.js#Organizer", size: 6 }\ndataloader: { collate_fn: { _target_: "./job.js#makeCollate" } }\n',
    );
    const config = (await loadConfig(join(project, "stats.yaml"))) as Record<string, Record<string, unknown>>;
    const { sum } = await collectStats({
      model: config["model"],
      dataset: config["dataset"],
      dataLoader: config["dataloader"],
      collectStatsKwargs: { scale: 10 },
      outputDir: join(project, "out"),
      mode: "train",
      batchSize: 2,
      parallel: { env: "process", n_workers: 2 },
      progress: false,
    });
    expect(sum["n"]).toEqual(Float64Array.of(150));
  });

  it("skips utterances that cannot be summed up, where the options say so", async () => {
    const outputDir = temporaryFolder();
    const broken = dataset.with(3, { x: Float32Array.of(1, Number.NaN) });
    const given = { dataset: broken, model, outputDir, mode: "train", ...quiet };
    await expect(collectStats(given)).rejects.toThrow(/x of 3 cannot be summed up: frame 1, column 0 is NaN/);
    const { count: counts } = await collectStats({ ...given, onError: "skip", resume: false });
    expect(counts["x"]).toBe(count - 4);
    expect([...readFailures(join(outputDir, "train"))].map(({ item }) => item)).toEqual([3]);
  });

  it("collects nothing from an empty dataset", async () => {
    const outputDir = temporaryFolder();
    const found = await collectStats({ dataset: [], model, outputDir, mode: "train", ...quiet });
    expect(found).toEqual({ sum: {}, sq: {}, count: {} });
    expect(readFileSync(join(outputDir, "train", "stats_keys"), "utf8")).toBe("");
  });

  it.each<[string, object, RegExp]>([
    ["no model", { model: undefined }, /needs a model and a dataset, or a provider/],
    ["a model without collectFeats", { model: {} }, /an object with a method collectFeats/],
    ["no mode", { mode: undefined }, /Option mode is undefined/],
    ["a mode that is a path", { mode: "../x" }, /the name of a split was expected/],
    ["several iterators", { dataLoader: { train: { multiple_iterator: true } } }, /multiple_iterator is not supported/],
    ["an unknown option", { batch_sise: 3 }, /batch_sise/],
    ["things that a worker cannot get", { parallel: { env: "process", n_workers: 2 } }, /a worker cannot get it/],
  ])("refuses %s", async (_name, change, message) => {
    const given = { dataset, model, outputDir: temporaryFolder(), mode: "train", ...quiet, ...change };
    await expect(collectStats(given as never)).rejects.toThrow(message);
  });
});

describe("CollectStatsRunner", () => {
  class OwnProvider extends EnvironmentProvider<
    CollectStatsEnv,
    object,
    { handsOn?: boolean; writeCollectedFeats?: boolean }
  > {
    buildEnvLocal(): CollectStatsEnv {
      return { dataset, model, ...(this.params.handsOn === false ? {} : this.params) };
    }
  }

  it.each([
    ["its provider's params ask for", { writeCollectedFeats: true }, {}],
    ["its options ask for", {}, { writeCollectedFeats: true }],
    ["its options ask for, whatever the env has", { handsOn: false }, { writeCollectedFeats: true }],
  ])("keeps features that %s", async (_who, params, own) => {
    const outputDir = temporaryFolder();
    const provider = new OwnProvider({}, params);
    const runner = new CollectStatsRunner(provider, { outputDir, mode: "dev", ...own, batchSize: 3, progress: false });
    expect(provider.params).toBe(params);
    await runner.run([0, 1, 2, 3]);
    expect([...readScp(join(outputDir, "dev", "collect_feats", "x.scp")).keys()]).toEqual(["0", "1", "2", "3"]);
    expect(readdirSync(join(outputDir, "dev", "collect_feats"))).toEqual(["x.scp", "x_lengths.scp"]);
  });

  it("says so where the env does not hand writeCollectedFeats on", async () => {
    const provider = new OwnProvider({}, { handsOn: false, writeCollectedFeats: true });
    const options = { outputDir: temporaryFolder(), mode: "dev", progress: false };
    await expect(new CollectStatsRunner(provider, options).run([0, 1])).rejects.toThrow(/env must have the key/);
  });

  it("is made again from its run folder without a mode", () => {
    const runner = new CollectStatsRunner(new OwnProvider({}), { outputDir: temporaryFolder(), shardSubdir: "" });
    expect(runner.mode).toBe("");
  });
});
