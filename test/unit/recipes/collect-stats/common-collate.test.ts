import { describe, expect, it } from "vitest";
import { ndArray } from "../../../../src/formats.ts";
import { commonCollateFn } from "../../../../src/recipes/collect-stats/common-collate.ts";

describe("commonCollateFn", () => {
  it("pads floats with 0 and integers with -1, and adds lengths", async () => {
    const [uids, batch] = await commonCollateFn()([
      ["a", { speech: Float32Array.of(1, 2, 3), text: BigInt64Array.of(5n) }],
      ["b", { speech: Float32Array.of(4), text: BigInt64Array.of(6n, 7n) }],
    ]);
    expect(uids).toEqual(["a", "b"]);
    expect(batch).toEqual({
      speech: ndArray("float32", Float32Array.of(1, 2, 3, 4, 0, 0), [2, 3]),
      speech_lengths: ndArray("int32", Int32Array.of(3, 1)),
      text: ndArray("int64", BigInt64Array.of(5n, -1n, 6n, 7n), [2, 2]),
      text_lengths: ndArray("int32", Int32Array.of(1, 2)),
    });
  });

  it("keeps the other dimensions, also where the first utterance is empty", async () => {
    const [, batch] = await commonCollateFn({ floatPadValue: 9 })([
      ["a", { feats: { data: new Float32Array(0), rows: 0, columns: 2 } }],
      ["b", { feats: { data: Float32Array.of(1, 2), rows: 1, columns: 2 } }],
    ]);
    expect(batch["feats"]).toEqual(ndArray("float32", Float32Array.of(9, 9, 1, 2), [2, 1, 2]));
  });

  it("gives no lengths for what is no sequence", async () => {
    const [, batch] = await commonCollateFn({ notSequence: ["speaker"] })([["a", { speaker: 3 }]]);
    expect(batch).toEqual({ speaker: ndArray("float64", Float64Array.of(3), [1, 1]) });
  });

  it("refuses utterances that do not fit together, and keys that are missing", () => {
    const collate = commonCollateFn();
    const matrix = (columns: number) => ({ data: new Float32Array(columns), rows: 1, columns });
    expect(() =>
      collate([
        ["a", { x: matrix(2) }],
        ["b", { x: matrix(3) }],
      ]),
    ).toThrow(/differ in their first dimension/);
    expect(() =>
      collate([
        ["a", { x: matrix(2) }],
        ["b", {}],
      ]),
    ).toThrow(/The utterance b has no x/);
  });
});
