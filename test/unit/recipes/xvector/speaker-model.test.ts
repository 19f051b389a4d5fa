import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FeatureMatrix } from "../../../../src/features/feature-matrix.ts";
import { loadOnnx, type OnnxModel, type OnnxValue } from "../../../../src/models/load-onnx.ts";
import type { ModelTensor } from "../../../../src/models/model-session.ts";
import { cutWindows } from "../../../../src/recipes/xvector/model/cut-windows.ts";
import { makeSpeakerModel } from "../../../../src/recipes/xvector/model/speaker-model.ts";
import { type ModelConvention, usualConvention } from "../../../../src/recipes/xvector/toolkits/toolkit.ts";
import { sharedIsAbsent, sharedPath } from "../../../support/shared-path.ts";

function matrix(rows: number, columns: number, value = (i: number) => i): FeatureMatrix {
  return { data: Float32Array.from({ length: rows * columns }, (_, i) => value(i)), rows, columns };
}

type Inputs = Readonly<Record<string, ModelTensor>>;

/** A model that notes what it gets and answers with the sum of each row of its batch. */
function summingModel(inputs: readonly OnnxValue[], answer?: (inputs: Inputs) => ModelTensor) {
  const calls: Inputs[] = [];
  const sums = (given: Inputs): ModelTensor => {
    const { data, shape: dims } = given[inputs[0]!.name]!;
    const size = data.length / dims[0]!;
    const totals = Array.from({ length: dims[0]! }, (_, i) =>
      [...(data as Float32Array).subarray(i * size, (i + 1) * size)].reduce((a, b) => a + b, 0),
    );
    return { dtype: "float32", shape: [dims[0]!, 2], data: Float32Array.from(totals.flatMap((sum) => [sum, 1])) };
  };
  const model: OnnxModel = {
    inputNames: inputs.map(({ name }) => name),
    outputNames: ["embs"],
    inputs,
    outputs: [{ name: "embs", dtype: "float32", shape: [] }],
    release: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    run(given) {
      calls.push(given);
      return Promise.resolve({ embs: (answer ?? sums)(given) });
    },
  };
  return { calls, model };
}

const feats: OnnxValue = { name: "feats", dtype: "float32", shape: ["B", "T", 2] };

function speakerModel(session: OnnxModel, changed: Partial<ModelConvention> = {}, stack = false) {
  return makeSpeakerModel(session, { ...usualConvention, ...changed }, { name: "the model", stack });
}

describe("a speaker model", () => {
  it("runs utterances one by one where they are not to be stacked", async () => {
    const { calls, model } = summingModel([feats]);
    const vectors = await speakerModel(model).embed([matrix(3, 2), matrix(3, 2), matrix(4, 2)]);
    expect(calls.map(({ feats: tensor }) => tensor!.shape)).toEqual([
      [1, 3, 2],
      [1, 3, 2],
      [1, 4, 2],
    ]);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [15, 1],
      [15, 1],
      [28, 1],
    ]);
  });

  it("stacks only utterances of equal length, and answers in their order", async () => {
    const { calls, model } = summingModel([feats]);
    const utterances = [matrix(3, 2), matrix(5, 2), matrix(3, 2, () => 1)];
    const vectors = await speakerModel(model, {}, true).embed(utterances);
    expect(calls.map(({ feats: tensor }) => tensor!.shape)).toEqual([
      [2, 3, 2],
      [1, 5, 2],
    ]);
    expect(vectors.map(([sum]) => sum)).toEqual([15, 45, 6]);
  });

  it("stacks any lengths, filled up with zeros, where the model takes them", async () => {
    const lens: OnnxValue = { name: "lens", dtype: "int64", shape: ["B"] };
    const { calls, model } = summingModel([feats, lens]);
    const vectors = await speakerModel(model, {}, true).embed([matrix(3, 2), matrix(5, 2)]);
    expect(calls).toHaveLength(1);
    expect(calls[0]!["feats"]!.shape).toEqual([2, 5, 2]);
    expect(calls[0]!["lens"]!.data).toEqual(BigInt64Array.of(3n, 5n));
    expect(vectors.map(([sum]) => sum)).toEqual([15, 45]);
  });

  it("stacks a whole padded batch, and 32 of one length at once", async () => {
    const lens: OnnxValue = { name: "lens", dtype: "float32", shape: ["B"] };
    const padded = summingModel([feats, lens]);
    const utterances = Array.from({ length: 40 }, (_, i) => matrix(1 + i, 2));
    await speakerModel(padded.model, {}, true).embed(utterances);
    // Cut in two, the first 32 would be padded to 32 frames, and have other vectors.
    expect(padded.calls.map(({ feats: tensor }) => tensor!.shape)).toEqual([[40, 40, 2]]);
    const equal = summingModel([feats]);
    await speakerModel(equal.model, {}, true).embed(utterances.map(() => matrix(3, 2)));
    const windowed = summingModel([feats, lens]);
    await speakerModel(windowed.model, { windows: { length: 1, step: 1 } }, true).embed([matrix(40, 2)]);
    for (const { calls } of [equal, windowed])
      expect(calls.map(({ feats: tensor }) => tensor!.shape[0])).toEqual([32, 8]);
  });

  it("passes lengths as shares where the second input takes floats, as SpeechBrain's models do", async () => {
    const { calls, model } = summingModel([feats, { name: "lens", dtype: "float32", shape: ["B"] }]);
    await speakerModel(model, {}, true).embed([matrix(3, 2), matrix(6, 2)]);
    expect(calls[0]!["lens"]!.data).toEqual(Float32Array.of(0.5, 1));
  });

  it("stacks nothing where the model takes one at a time", async () => {
    const { calls, model } = summingModel([{ ...feats, shape: [1, "T", 2] }]);
    await speakerModel(model, {}, true).embed([matrix(3, 2), matrix(3, 2)]);
    expect(calls).toHaveLength(2);
  });

  it("turns features around where the model takes them first", async () => {
    const { calls, model } = summingModel([{ ...feats, shape: ["B", 2, "T"] }]);
    await speakerModel(model).embed([matrix(3, 2)]);
    expect(calls[0]!["feats"]).toMatchObject({ shape: [1, 2, 3], data: Float32Array.of(0, 2, 4, 1, 3, 5) });
  });

  it("passes a waveform with or without a dimension for channels", async () => {
    const flat = summingModel([{ name: "wav", dtype: "float32", shape: ["B", "N"] }]);
    await speakerModel(flat.model, { input: "waveform" }).embed([matrix(9, 1)]);
    const deep = summingModel([{ name: "wav", dtype: "float32", shape: ["B", 1, "N"] }]);
    await speakerModel(deep.model, { input: "waveform" }).embed([matrix(9, 1)]);
    expect([flat.calls[0]!["wav"]!.shape, deep.calls[0]!["wav"]!.shape]).toEqual([
      [1, 9],
      [1, 1, 9],
    ]);
  });

  it("averages the vectors of windows, and can scale the mean to length 1", async () => {
    const { model } = summingModel([feats]);
    const windows = { length: 2, step: 1 };
    const [mean] = await speakerModel(model, { windows }).embed([matrix(3, 2)]);
    expect([...mean!]).toEqual([10, 1]);
    const [unit] = await speakerModel(model, { windows, normalize: "l2" }).embed([matrix(3, 2)]);
    expect(Math.hypot(...unit!)).toBeCloseTo(1, 6);
  });

  it.each([
    ["NaN", [Number.NaN, 1], [1, 2], /non-finite embedding/],
    ["zeros", [0, 0], [1, 2], /zeros only/],
    ["a vector for each frame", [1, 2, 3, 4], [1, 2, 2], /tensor of \[1, 2, 2\]/],
  ])("refuses %s", async (_what, numbers, dims, message) => {
    const { model } = summingModel([feats], () => ({
      dtype: "float32",
      shape: dims,
      data: Float32Array.from(numbers),
    }));
    await expect(speakerModel(model).embed([matrix(3, 2)])).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringMatching(message),
    });
  });

  it.each([[[1, 1, 2]], [[1, 2, 1]], [[2]]])("takes dimensions of size 1 out of an answer of %j", async (dims) => {
    const { model } = summingModel([feats], () => ({ dtype: "float32", shape: dims, data: Float32Array.of(3, 4) }));
    expect(await speakerModel(model).embed([matrix(3, 2)])).toEqual([Float32Array.of(3, 4)]);
  });

  it("says which number of features the model takes, and how to cut audio to a fixed length", async () => {
    const { model } = summingModel([{ ...feats, shape: ["B", "T", 40] }]);
    await expect(speakerModel(model).embed([matrix(3, 2)])).rejects.toThrow(/takes 40 features a frame; .* gives 2/);
    const fixed = summingModel([{ ...feats, shape: [1, 200, 2] }]);
    await expect(speakerModel(fixed.model).embed([matrix(3, 2)])).rejects.toThrow(/exactly 200 frames[\s\S]*windows/);
  });

  it("refuses names that are not there, and an input of another kind", () => {
    const { model } = summingModel([feats]);
    expect(() => speakerModel(model, { outputName: "x" })).toThrow(/no output "x"[\s\S]*embs/);
    expect(() => speakerModel(model, { inputName: "x" })).toThrow(/no input "x"[\s\S]*feats/);
    expect(() => speakerModel(summingModel([{ ...feats, shape: ["B", "N"] }]).model)).toThrow(/2 dimensions/);
    expect(() => speakerModel(summingModel([{ ...feats, dtype: "float16" }]).model)).toThrow(/float16/);
  });
});

describe("cutWindows", () => {
  const starts = (windows: readonly FeatureMatrix[]) => windows.map(({ data }) => data[0]);

  it("steps through an utterance, and leaves one that is shorter than a window whole", () => {
    expect(starts(cutWindows(matrix(10, 1), { length: 4, step: 3 }))).toEqual([0, 3, 6]);
    expect(cutWindows(matrix(3, 1), { length: 4, step: 3 })).toEqual([matrix(3, 1)]);
  });

  it("spreads a number of windows from the first row to the last", () => {
    expect(starts(cutWindows(matrix(10, 1), { length: 4, count: 4 }))).toEqual([0, 2, 4, 6]);
    expect(starts(cutWindows(matrix(4, 1), { length: 4, count: 3 }))).toEqual([0, 0, 0]);
  });

  it("repeats what is too short to one row more than a window, as numpy's wrap does", () => {
    const windows = cutWindows(matrix(3, 1), { length: 7, count: 2 });
    expect(windows.map(({ data }) => [...data])).toEqual([
      [0, 1, 2, 0, 1, 2, 0],
      [1, 2, 0, 1, 2, 0, 1],
    ]);
  });
});

const odd = sharedPath("data", "odd", "models");

describe.skipIf(odd === undefined)(`the odd models${odd === undefined ? ` (skipped: ${sharedIsAbsent})` : ""}`, () => {
  const utterance = matrix(200, 80, (i) => Math.sin(i) + (i % 80));
  const means = Float32Array.from({ length: 80 }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < 200; row++) sum += utterance.data[row * 80 + column]!;
    return sum / 200;
  });
  const embed = async (name: string, changed: Partial<ModelConvention> = {}) => {
    const session = await loadOnnx(join(odd!, name));
    return (await speakerModel(session, changed).embed([utterance]))[0]!;
  };

  it.each([
    "mean_pool_80",
    "rank3_output",
    "fixed_T200",
    "two_inputs_with_lengths",
    "float64_input",
    "channels_first_80xT",
  ])("%s.onnx gives the mean of the features", async (name) => {
    const vector = await embed(`${name}.onnx`);
    expect(vector).toHaveLength(80);
    expect(Math.max(...vector.map((value, i) => Math.abs(value - means[i]!)))).toBeLessThan(1e-4);
  });

  it("two_outputs.onnx needs the name of an output", async () => {
    await expect(embed("two_outputs.onnx")).rejects.toThrow(/2 outputs: /);
    const { outputNames } = await loadOnnx(join(odd!, "two_outputs.onnx"));
    const vector = await embed("two_outputs.onnx", { outputName: outputNames[1]! });
    expect(Math.max(...vector.map((value, i) => Math.abs(value - means[i]!)))).toBeLessThan(1e-4);
  });

  it("nan_output.onnx gives no embedding", async () => {
    await expect(embed("nan_output.onnx")).rejects.toThrow(/non-finite embedding/);
  });

  it.each(["opset_99", "truncated", "empty", "text", "git_lfs_pointer"])("%s.onnx cannot be loaded", async (name) => {
    await expect(embed(`${name}.onnx`)).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringMatching(/ONNX Runtime cannot load .*\.onnx: /),
    });
  });
});
