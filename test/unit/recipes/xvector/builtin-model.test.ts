import { describe, expect, it } from "vitest";
import { loadOnnx } from "../../../../src/models/load-onnx.ts";
import { encodeBuiltinModel, plainSession } from "../../../../src/recipes/xvector/builtin-model.ts";

function noise(count: number): Float32Array {
  let state = 7;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 20 * (state / 2 ** 32 - 0.5);
  });
}

describe("the built-in model", () => {
  it("gives the same vectors in ONNX Runtime as in plain TypeScript, up to rounding", async () => {
    const model = await loadOnnx(encodeBuiltinModel(), { name: "builtin" });
    const feats = { dtype: "float32", shape: [3, 250, 24], data: noise(3 * 250 * 24) } as const;
    const [theirs, ours] = await Promise.all([model.run({ feats }), plainSession().run({ feats })]);
    expect(theirs["embs"]!.shape).toEqual([3, 46]);
    expect(ours["embs"]!.shape).toEqual([3, 46]);
    const pairs = [...(ours["embs"]!.data as Float32Array)].map((value, i) =>
      Math.abs(value - (theirs["embs"]!.data[i] as number)),
    );
    expect(Math.max(...pairs)).toBeLessThan(1e-6);
    await model.release();
  });

  it("leaves out the first cepstrum, which is the level", async () => {
    const data = noise(100 * 24);
    const louder = data.map((value, i) => (i % 24 === 0 ? value + 50 : value));
    const embed = async (numbers: Float32Array) =>
      (await plainSession().run({ feats: { dtype: "float32", shape: [1, 100, 24], data: numbers } }))["embs"]!.data;
    expect(await embed(louder)).toEqual(await embed(data));
  });

  it("gives vectors of length 1", async () => {
    const { embs } = await plainSession().run({
      feats: { dtype: "float32", shape: [1, 60, 24], data: noise(60 * 24) },
    });
    expect(Math.hypot(...(embs!.data as Float32Array))).toBeCloseTo(1, 6);
  });
});
