// The page about CollectStatsRunner (seed 001), promise by promise.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseRunner, InferenceProvider, range } from "millrace";
import { openNpz, readScp } from "millrace/formats";
import { type CollectStatsEnv, CollectStatsRunner, collectStatsBatch } from "millrace/recipes";
import { describe, expect } from "vitest";
import { promisesOf } from "../../support/seed-pages/page-promises.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Frames = { readonly data: Float32Array; readonly rows: number; readonly columns: number };

/** Utterance i has i + 1 frames of two numbers, all of them i. */
const framesOf = (i: number): Frames => ({ data: new Float32Array(2 * (i + 1)).fill(i), rows: i + 1, columns: 2 });

const seen: object[] = [];

class StatsProvider extends InferenceProvider<CollectStatsEnv & { extra?: string }, { items: number }> {
  static buildDataset({ items }: { items: number }) {
    return Array.from({ length: items }, (_, i) => [`utt${i}`, { speech: framesOf(i) }]);
  }
  static buildModel() {
    return {
      collectFeats(inputs: { speech: never; speech_lengths: never }) {
        seen.push(inputs);
        return { feats: inputs.speech, feats_lengths: inputs.speech_lengths };
      },
    };
  }
}

const runnerFor = (outputDir: string, more: object = {}) =>
  new CollectStatsRunner(new StatsProvider({ items: 4 }), {
    progress: false,
    outputDir,
    mode: "train",
    shards: 2,
    ...more,
  });

const envOf = async (params: object = {}) =>
  (await new StatsProvider({ items: 4 }, params).buildEnvLocal()) as CollectStatsEnv;

describe("collect stats runner", () => {
  const promise = promisesOf("collect stats runner");

  promise("it takes a provider, an output folder, a mode and whether features are kept", async () => {
    const stats = await runnerFor(temporaryFolder(), { writeCollectedFeats: false }).run(range(4));
    expect(Object.keys(stats)).toEqual(["sum", "sq", "count"]);
  });
  promise("it is a base runner", () => {
    expect(runnerFor(temporaryFolder())).toBeInstanceOf(BaseRunner);
  });
  promise("a batch is what collect_stats_batch makes of it", async () => {
    const env = await envOf();
    const { batch } = await CollectStatsRunner.forward([1, 2], env);
    expect(batch).toEqual(await collectStatsBatch([1, 2], env));
  });
  promise("each shard keeps its own metadata, and the merge is in the folder of the mode", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir).run(range(4));
    expect(readdirSync(join(outputDir, "train"))).toEqual(
      expect.arrayContaining(["split.0", "split.1", "feats_stats.npz", "feats_shape", "stats_keys"]),
    );
  });
  promise("features are kept if they are asked for", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { writeCollectedFeats: true }).run(range(4));
    const scp = join(outputDir, "train/collect_feats/feats.scp");
    expect([...readScp(scp)].length).toBe(4);
  });
  promise("other options are those of every runner", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { batchSize: 2, shards: 2 }).run(range(4));
    expect(readdirSync(join(outputDir, "train")).filter((name) => name.startsWith("split."))).toHaveLength(2);
  });
  promise("closing a shard writes its lists of keys and a file of sums for each key", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { writeCollectedFeats: true }).run(range(4));
    const shard = join(outputDir, "train/split.0");
    const names = ["shape_keys.txt", "feat_keys_written.txt", "stats_keys.txt", "feats_stats.npz"];
    expect(names.filter((name) => existsSync(join(shard, name)))).toEqual(names);
    expect(readFileSync(join(shard, "stats_keys.txt"), "utf8")).toBe("feats\nfeats_lengths\n");
  });
  promise("forward takes one index or several", async () => {
    const env = await envOf();
    const [one, several] = [await CollectStatsRunner.forward(3, env), await CollectStatsRunner.forward([3], env)];
    expect(one).toEqual(several);
  });
  promise("the model's collect_feats is called with the collated batch", async () => {
    seen.length = 0;
    await CollectStatsRunner.forward([0, 1], await envOf());
    expect(Object.keys(seen[0]!)).toEqual(["speech", "speech_lengths"]);
  });
  promise("a collate function of your own gives ids and a batch", async () => {
    const collateFn = () => [["only"], { speech: [framesOf(1)], speech_lengths: [2] }] as const;
    const { batch } = await CollectStatsRunner.forward([0], { ...(await envOf()), collateFn } as CollectStatsEnv);
    expect(JSON.stringify(batch[1])).toContain("only");
  });
  promise(
    "tensors are moved to a device",
    "differs: there are no tensors of a device here; a model of ONNX Runtime is opened on its device by the provider",
  );
  promise("raw features are in the result if they are asked for", async () => {
    const env = await envOf();
    const kept = await CollectStatsRunner.forward([1], env, { writeCollectedFeats: true });
    const dropped = await CollectStatsRunner.forward([1], env, { writeCollectedFeats: false });
    expect([kept.batch.length, dropped.batch.length]).toEqual([3, 2]);
  });
  promise("further arguments reach collect_feats", async () => {
    seen.length = 0;
    await CollectStatsRunner.forward([0], await envOf(), { collectStatsKwargs: { dither: 0.5 } });
    expect(seen[0]).toMatchObject({ dither: 0.5 });
  });
  promise("further keys of the env are ignored", async () => {
    const env = await envOf({ extra: "x" });
    expect((await CollectStatsRunner.forward([1], env)).batch).toEqual(
      (await CollectStatsRunner.forward([1], await envOf())).batch,
    );
  });
  promise(
    "forward returns the tuple itself",
    "differs: { batch: tuple }, because an array would be one result an item",
  );
  promise("the merge gives sum, sum of squares and count by key", async () => {
    const { sum, sq, count } = await runnerFor(temporaryFolder()).run(range(4));
    // 1 frame of 0, 2 of 1, 3 of 2, 4 of 3.
    expect([[...sum["feats"]!], [...sq["feats"]!], count["feats"]]).toEqual([[20, 20], [50, 50], 10]);
  });
  promise("the shape files of the shards are put together in the order of the items", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir).run(range(4));
    expect(readFileSync(join(outputDir, "train/feats_shape"), "utf8")).toBe("utt0 1,2\nutt1 2,2\nutt2 3,2\nutt3 4,2\n");
  });
  promise(
    "the writers of a shard are a dictionary with four keys of its own",
    "differs: writers by key, { shapes, feats }; their names are no contract",
  );
  promise("sums of a shard grow batch by batch and are in its file", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { batchSize: 1, shards: 1 }).run(range(4));
    const file = openNpz(join(outputDir, "train/split.0/feats_stats.npz"));
    expect(Number(file.get("count").data[0])).toBe(10);
    file.close();
  });
  promise("lengths of kept features are listed in {key}_lengths.scp", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { writeCollectedFeats: true }).run(range(4));
    expect(existsSync(join(outputDir, "train/collect_feats/feats_lengths.scp"))).toBe(true);
  });
  promise("paths in scp files are found from the folder of the recipe", async () => {
    const outputDir = temporaryFolder();
    await runnerFor(outputDir, { writeCollectedFeats: true }).run(range(4));
    const list = join(outputDir, "train/collect_feats/feats.scp");
    const paths = [...readScp(list, { baseDir: process.cwd() }).values()];
    expect(paths).toHaveLength(4);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});
