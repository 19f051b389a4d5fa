import { describe, expect, it } from "vitest";
import { Module } from "../../../src/checkpoints/module.ts";
import { Settings } from "../../../src/checkpoints/settings.ts";
import { readActivation } from "../../../src/checkpoints/speechbrain/activation-setting.ts";
import { Tagged, type YamlData } from "../../../src/checkpoints/yaml-data.ts";
import { loadOnnx } from "../../../src/speech.ts";

const inputs = Float32Array.of(-7, -0.5, 0, 1, 7);

// What PyTorch gives for these inputs.
const expected: readonly (readonly [string, Readonly<Record<string, YamlData>>, readonly number[]])[] = [
  ["torch.nn.CELU", { alpha: 2 }, [-1.939605, -0.4423984, 0, 1, 7]],
  ["torch.nn.SELU", {}, [-1.756496, -0.6917582, 0, 1.050701, 7.354907]],
  ["torch.nn.ELU", { alpha: 2 }, [-1.998176, -0.7869387, 0, 1, 7]],
  ["torch.nn.ReLU6", {}, [0, 0, 0, 1, 6]],
  ["torch.nn.Hardtanh", { min_val: -2, max_val: 3 }, [-2, -0.5, 0, 1, 3]],
  ["torch.nn.Softplus", {}, [0.0009114665, 0.474077, Math.LN2, 1.313262, 7.000912]],
  ["torch.nn.Mish", {}, [-0.006380264, -0.2207438, 0, 0.8650984, 6.999989]],
  ["torch.nn.GELU", {}, [0, -0.1542688, 0, 0.8413447, 7]],
  ["torch.nn.SiLU", {}, [-0.006377358, -0.1887703, 0, 0.7310586, 6.993623]],
  ["speechbrain.nnet.activations.Swish", {}, [-0.006377358, -0.1887703, 0, 0.7310586, 6.993623]],
  ["torch.nn.LeakyReLU", { negative_slope: 0.2 }, [-1.4, -0.1, 0, 1, 7]],
  ["torch.nn.Identity", {}, [-7, -0.5, 0, 1, 7]],
];

function activationOf(name: string, settings: Readonly<Record<string, YamlData>>) {
  const given = new Tagged(`!name:${name}`, new Map(Object.entries(settings)));
  const all = new Settings(new Map([["activation", given]]), { file: "hyperparams.yaml", of: "model" });
  return readActivation(all, "activation", (_module, x) => x);
}

describe("an activation of a checkpoint", () => {
  it.each(expected)("%s gives what PyTorch gives", async (name, settings, wanted) => {
    const model = Module.of({ file: "none", tensors: new Map() });
    const x = model.graph.input("x", ["N"]);
    model.graph.output(activationOf(name, settings)(model, x), "y", ["N"]);
    const session = await loadOnnx(model.finish(name));
    const { y } = await session.run({ x: { dtype: "float32", shape: [5], data: inputs } });
    await session.release();
    for (const [at, value] of wanted.entries()) expect(Number(y!.data[at])).toBeCloseTo(value, 5);
  });

  it("with a setting that makes it another function is refused by its name", () => {
    expect(() => activationOf("torch.nn.GELU", { approximate: "tanh" })).toThrow(
      /approximate: "tanh" is not converted/,
    );
    expect(() => activationOf("speechbrain.nnet.activations.Swish", { beta: 2 })).toThrow(/beta: 2 is not converted/);
    expect(() => activationOf("torch.nn.Softplus", { beta: 2 })).toThrow(/the setting beta is not known/);
  });
});
