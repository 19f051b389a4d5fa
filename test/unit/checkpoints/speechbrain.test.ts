import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeCheckpoint } from "../../../src/checkpoints/describe-checkpoint.ts";
import { encodePt, type NdArray, ndArray } from "../../../src/formats.ts";
import { loadOnnx } from "../../../src/speech.ts";
import { hyperparams, numbers, weights } from "../../support/checkpoints/small-xvector.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A checkpoint with these texts replaced in its configuration, and these weights. */
function checkpointOf(
  changes: readonly (readonly [string, string])[] = [],
  state: Readonly<Record<string, NdArray>> = weights,
) {
  const folder = temporaryFolder();
  const text = changes.reduce((whole, [from, to]) => {
    expect(whole).toContain(from);
    return whole.replace(from, to);
  }, hyperparams);
  const files = { config: join(folder, "hyperparams.yaml"), weights: join(folder, "embedding_model.ckpt") };
  writeFileSync(files.config, text);
  writeFileSync(files.weights, encodePt(state));
  return describeCheckpoint({ toolkit: "speechbrain", ...files });
}

describe("a checkpoint of SpeechBrain", () => {
  it("is described and converted without running anything that its file names", async () => {
    const checkpoint = checkpointOf();
    expect(checkpoint).toMatchObject({
      architecture: "Xvector",
      dimension: 8,
      minLength: 2,
      features: { frontend: "speechbrain_fbank", options: { n_mels: 8, n_fft: 400 } },
    });
    const model = await loadOnnx(checkpoint.convert());
    expect(model.inputs.map(({ name, shape }) => [name, shape.at(-1)])).toEqual([
      ["feats", 8],
      ["lens", "B"],
    ]);
    await model.release();
  });

  it("whose weights are missing, unknown or of another shape is refused with all of them", () => {
    const { "blocks.0.conv.bias": _bias, ...others } = weights;
    const state = { ...others, "blocks.4.w.weight": numbers(8, 7), "blocks.9.extra": numbers(2) };
    expect(() => checkpointOf([], state).convert()).toThrow(
      /blocks\.0\.conv\.bias is missing: float32 \[4\]\n.*blocks\.4\.w\.weight is float32 \[8, 7\], not float32 \[8, 8\]\n.*blocks\.9\.extra is unknown: float32 \[2\]/,
    );
    const halves = { ...weights, "blocks.4.w.bias": ndArray("float64", new Float64Array(8), [8]) };
    expect(() => checkpointOf([], halves).convert()).toThrow(/blocks\.4\.w\.bias is float64 \[8\], not float32 \[8\]/);
  });

  it.each([
    ["embedding_model is a my.Model", "speechbrain.lobes.models.Xvector.Xvector", "my.Model"],
    ["compute_features is a speechbrain.lobes.features.MFCC", "features.Fbank", "features.MFCC"],
    ["context: true is not converted", "n_mels: !ref <n_mels>\nmean", "n_mels: !ref <n_mels>\n    context: True\nmean"],
    ['filter_shape: "gaussian" is not converted', "Fbank\n", "Fbank\n    filter_shape: gaussian\n"],
    ["norm_type is not sentence", "norm_type: sentence", "norm_type: global"],
    ["the setting emb_dim is not known", "tdnn_blocks: 1", "tdnn_blocks: 1\n    emb_dim: 3"],
    ["activation: !name:torch.nn.PReLU is not converted", "torch.nn.LeakyReLU", "torch.nn.PReLU"],
    ['lin_neurons is "4 ** 2"; a whole number above 0 was expected', "<width> * 2", "<width> ** 2"],
    ["it refers to <nothing>, which it does not have", "lin_neurons: !ref <width> * 2", "lin_neurons: !ref <nothing>"],
    ["its references lead to each other", "width: 4", "width: !ref <width>"],
    ["embedding_model takes 9 features, compute_features gives 8", "in_channels: !ref <n_mels>", "in_channels: 9"],
  ])("that says something else is refused by its name: %s", (message, from, to) => {
    expect(() => checkpointOf([[from, to]])).toThrow(message);
  });
});
