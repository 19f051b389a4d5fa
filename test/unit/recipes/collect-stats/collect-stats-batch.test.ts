import { describe, expect, it } from "vitest";
import { ndArray } from "../../../../src/formats.ts";
import { collectStatsBatch } from "../../../../src/recipes/collect-stats/collect-stats-batch.ts";
import type { Batch, CollateFn, CollectStatsEnv } from "../../../../src/recipes/collect-stats/collect-stats-env.ts";
import { frameTotals } from "../../../../src/speech.ts";

const collateFn: CollateFn<Batch> = (samples) => [samples.map(([uid]) => uid), samples[0]![1]];

/** An env whose model returns what is given, for a batch with other things in it. */
function envOf(
  feats: Batch,
  { batch = {}, uids = ["a", "b"], ...env }: Partial<CollectStatsEnv> & { batch?: Batch; uids?: string[] } = {},
) {
  const dataset = uids.map((uid) => [uid, batch]);
  return {
    dataset,
    model: { collectFeats: () => feats },
    collateFn: collateFn as CollateFn,
    ...env,
  } satisfies CollectStatsEnv;
}

const padded = ndArray("float32", Float32Array.of(1, 2, 3, 4, 99, 99, 5, 6, 7, 8, 9, 10), [2, 3, 2]);

describe("the statistics of a batch", () => {
  it("leave out the padding that lengths give", async () => {
    const [stats, shapes] = await collectStatsBatch(
      [0, 1],
      envOf({ feats: padded, feats_lengths: Int32Array.of(2, 3) }),
    );
    expect(frameTotals(stats["feats"]!.sums)).toEqual({
      count: 5,
      sum: Float64Array.of(1 + 3 + 5 + 7 + 9, 2 + 4 + 6 + 8 + 10),
      sumSquare: Float64Array.of(1 + 9 + 25 + 49 + 81, 4 + 16 + 36 + 64 + 100),
    });
    expect(shapes["feats"]).toEqual([
      ["a", "2,2"],
      ["b", "3,2"],
    ]);
  });

  it("have the lengths as a key of its own, as ESPnet3", async () => {
    const [stats, shapes] = await collectStatsBatch(
      [0, 1],
      envOf({ feats: padded, feats_lengths: ndArray("int64", BigInt64Array.of(2n, 3n)) }),
    );
    expect(frameTotals(stats["feats_lengths"]!.sums)).toMatchObject({ count: 2, sum: Float64Array.of(5) });
    expect(stats["feats_lengths"]!.frameShape).toEqual([]);
    expect(shapes["feats_lengths"]).toEqual([
      ["a", "1"],
      ["b", "1"],
    ]);
  });

  it("take an array without lengths as one frame an utterance", async () => {
    const embeddings = ndArray("float64", Float64Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
    const [stats, shapes] = await collectStatsBatch([0, 1], envOf({ embeddings }));
    expect(frameTotals(stats["embeddings"]!.sums)).toMatchObject({ count: 2, sum: Float64Array.of(5, 7, 9) });
    expect(shapes["embeddings"]![0]).toEqual(["a", "1,3"]);
  });

  it("take one matrix an utterance without padding and lengths", async () => {
    const feats = [
      { data: Float32Array.of(1, 2), rows: 1, columns: 2 },
      { data: Float32Array.of(3, 4, 5, 6), rows: 2, columns: 2 },
    ];
    const [stats, shapes] = await collectStatsBatch([0, 1], envOf({ feats }));
    expect(frameTotals(stats["feats"]!.sums)).toMatchObject({ count: 3, sum: Float64Array.of(9, 12) });
    expect(shapes["feats"]).toEqual([
      ["a", "1,2"],
      ["b", "2,2"],
    ]);
  });

  it("have the shapes of token streams, and no sums of them", async () => {
    const text = ndArray("int64", BigInt64Array.of(7n, 8n, -1n, 9n, 9n, 9n), [2, 3]);
    const batch = { text, text_lengths: Int32Array.of(2, 3), speakers: Int32Array.of(4, 5), plain: text };
    const [stats, shapes] = await collectStatsBatch([0, 1], envOf({ x: Float32Array.of(1, 2) }, { batch }));
    expect(shapes["text"]).toEqual([
      ["a", "2"],
      ["b", "3"],
    ]);
    expect(shapes["plain"]).toEqual([
      ["a", "3"],
      ["b", "3"],
    ]);
    expect(Object.keys(shapes).sort()).toEqual(["plain", "text", "x"]);
    expect(Object.keys(stats)).toEqual(["x"]);
  });

  it("come with the features where these are kept, cut, and with their lengths as int64", async () => {
    const env = envOf({ feats: padded, feats_lengths: [2, 3] }, { writeCollectedFeats: true });
    const [, , feats] = await collectStatsBatch([0, 1], env);
    expect(feats!["feats"]![0]).toEqual({ id: "a", array: ndArray("float32", Float32Array.of(1, 2, 3, 4), [2, 2]) });
    expect(feats!["feats_lengths"]).toEqual([
      { id: "a", array: ndArray("int64", BigInt64Array.of(2n), [1]) },
      { id: "b", array: ndArray("int64", BigInt64Array.of(3n), [1]) },
    ]);
    expect(Object.keys(feats!)).toEqual(["feats", "feats_lengths"]);
  });

  it("have sum, sq and count by key, as ESPnet3's", async () => {
    const [{ feats }] = await collectStatsBatch([0, 1], envOf({ feats: padded, feats_lengths: [2, 3] }));
    expect({ sum: feats!.sum, sq: feats!.sq, count: feats!.count }).toEqual({
      sum: Float64Array.of(25, 30),
      sq: Float64Array.of(165, 220),
      count: 5,
    });
  });

  it("hand collectStatsKwargs on to the model together with the batch", async () => {
    let got: unknown;
    const env = envOf({ x: [1] }, { batch: { speech: [1] }, uids: ["a"], collectStatsKwargs: { dither: 0 } });
    const collectFeats = (inputs: unknown) => {
      got = inputs;
      return { x: [1] };
    };
    env.model = { collectFeats } as typeof env.model;
    await collectStatsBatch([0], env);
    expect(got).toEqual({ speech: [1], dither: 0 });
  });

  it("pad and measure by themselves where no collate function is given", async () => {
    const dataset = [{ x: Float32Array.of(1, 2, 3) }, ["named", { x: Float32Array.of(4) }]];
    const model = { collectFeats: ({ x, x_lengths }: Batch) => ({ x: x!, x_lengths: x_lengths! }) };
    const [stats, shapes] = await collectStatsBatch([0, 1], { dataset, model: model as CollectStatsEnv["model"] });
    expect(frameTotals(stats["x"]!.sums)).toMatchObject({ count: 4, sum: Float64Array.of(10) });
    expect(shapes["x"]).toEqual([
      ["0", "3"],
      ["named", "1"],
    ]);
  });

  it.each<[string, Parameters<typeof envOf>, RegExp]>([
    [
      "kwargs that the batch has too",
      [{ x: [1, 2] }, { batch: { speech: [1, 2] }, collectStatsKwargs: { speech: 1 } }],
      /conflict with keys of the batch: speech/,
    ],
    [
      "a collate function that returns something else",
      [{ x: [1, 2] }, { collateFn: (() => ({})) as never }],
      /return \[uids, batch\]/,
    ],
    ["ids that are too few", [{ x: [1, 2] }, { collateFn: () => [["a"], {}] }], /got 2 samples and returned 1 ids/],
    ["an id that a list cannot hold", [{ x: [1, 2] }, { uids: ["a b", "c"] }], /"a b" cannot be an id/],
    ["features of another number of utterances", [{ x: [1, 2, 3] }], /x of collectFeats has 3 entries for 2/],
    ["no features at all", [undefined as never], /collectFeats must return an object/],
    ["a length beyond the frames", [{ feats: padded, feats_lengths: [2, 4] }], /feats_lengths says 4, but feats has 3/],
    ["a length that is no number", [{ feats: padded, feats_lengths: [2, -1] }], /feats_lengths\[1\] is -1/],
    [
      "a NaN, naming the utterance and the place",
      [
        {
          feats: [
            { data: Float32Array.of(1, 2), rows: 1, columns: 2 },
            { data: Float32Array.of(1, 2, 3, Number.NaN), rows: 2, columns: 2 },
          ],
        },
      ],
      /feats of b cannot be summed up: frame 1, column 1 is NaN/,
    ],
    ["frames of another width", [{ x: [Float32Array.of(1), Float32Array.of(1, 2)] }], /must return x_lengths/],
    ["complex numbers", [{ x: ndArray("complex64", new Float32Array(4), [2, 1]) }], /complex/],
    ["something that is no array", [{ x: ["a", "b"] as never }], /x holds string that is no array/],
  ])("refuse %s", async (_name, given, message) => {
    await expect(collectStatsBatch([0, 1], envOf(...given))).rejects.toThrow(message);
  });

  it("refuse an item that the dataset does not have", async () => {
    await expect(collectStatsBatch([5], envOf({ x: [1] }))).rejects.toThrow(/has no item 5/);
  });
});
