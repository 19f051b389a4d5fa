import { describe, expect, it } from "vitest";
import { inferBatch, inferOne, type ModelCall } from "../../../../src/recipes/inference/call-model.ts";

const options: ModelCall["options"] = {
  inputKey: "speech",
  idxKey: "utt_id",
  hypKey: "hyp",
  refKey: "ref",
  modelKwargs: {},
  outputArtifacts: {},
};
const dataset = [0, 1, 2].map((n) => ({ utt_id: `u${n}`, speech: n, text: `t${n}` }));
const echo = (input: unknown) => ({ got: input });

function call(parts: Partial<ModelCall> & { own?: Partial<ModelCall["options"]> }): ModelCall {
  return { dataset, model: echo, outputFn: undefined, ...parts, options: { ...options, ...parts.own } };
}

describe("a model", () => {
  it("gets what the input keys name, and its further arguments, in one object", async () => {
    const own = { inputKey: ["speech", "text"], modelKwargs: { beam: 4 } };
    expect(await inferOne(1, call({ own }))).toEqual({ utt_id: "u1", got: { speech: 1, text: "t1", beam: 4 } });
    expect(await inferOne(1, call({ own: { inputKey: "text" } }))).toEqual({ utt_id: "u1", got: { text: "t1" } });
  });

  it("gets a list for each key where there are several items", async () => {
    const model = ({ speech, beam }: { speech: number[]; beam: number }) => speech.map((n) => ({ hyp: n * beam }));
    expect(await inferBatch([2, 0], call({ model, own: { modelKwargs: { beam: 2 } } }))).toEqual([
      { utt_id: "u2", hyp: 4 },
      { utt_id: "u0", hyp: 0 },
    ]);
  });

  it("may be an object with forward, a dataset one with get, and both may answer later", async () => {
    const model = {
      factor: 3,
      async forward({ speech }: { speech: number }) {
        return { hyp: speech * this.factor };
      },
    };
    const later = { get: async (idx: number) => dataset[idx] };
    expect(await inferOne(2, call({ model, dataset: later }))).toEqual({ utt_id: "u2", hyp: 6 });
  });

  it("has its output made by outputFn, which sees the item", async () => {
    const outputFn = (input: unknown) => input;
    expect(await inferOne(0, call({ outputFn }))).toEqual({
      data: dataset[0],
      modelOutput: { got: { speech: 0 } },
      idx: 0,
    });
    const lists = ({ data }: { data: unknown }) => data;
    expect(await inferBatch([0, 1], call({ outputFn: lists }))).toEqual(dataset.slice(0, 2));
  });

  it.each<[string, string, Partial<ModelCall> & { own?: Partial<ModelCall["options"]> }]>([
    ["BAD_RECORD", 'Input key "audio" is not in item 1 of the dataset.', { own: { inputKey: ["speech", "audio"] } }],
    ["BAD_RECORD", "Item 1 of the dataset is undefined; an object was expected.", { dataset: [] }],
    ["BAD_OPTION", '"speech" is both an inputKey and a key of modelKwargs.', { own: { modelKwargs: { speech: 1 } } }],
    ["BAD_PROVIDER", "The model is an object, which cannot be called.", { model: {} }],
  ])("is not called where something is wrong: %s, %s", async (code, message, parts) => {
    await expect(inferOne(1, call(parts))).rejects.toThrow(message);
    await expect(inferBatch([1], call(parts))).rejects.toMatchObject({ code });
  });

  it.each([
    ["The model got 2 items and gave an object.", {}],
    ["outputFn got 2 items and gave a list of 1.", { outputFn: () => [1] }],
  ])("has to give an output for each item: %s", async (message, parts) => {
    await expect(inferBatch([0, 1], call(parts))).rejects.toThrow(message);
  });
});
