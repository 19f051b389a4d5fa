import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { describeCheckpoint } from "../../../src/checkpoints/describe-checkpoint.ts";
import { encodeNpy, ndArray, readNpy } from "../../../src/formats.ts";
import { loadOnnx } from "../../../src/speech.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const script = fileURLToPath(new URL("../../support/recipes/speechbrain_models.py", import.meta.url));
const python = "/usr/bin/python3";
const hasTorch = spawnSync(python, ["-c", "import torch"]).status === 0;
const skipped = hasTorch ? "" : " (skipped: PyTorch is not installed)";

const hyperparams = (model: string) => `
n_mels: 20
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
    deltas: True
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: True
embedding_model: !new:speechbrain.lobes.models.${model}
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
`;

interface Ecapa {
  readonly isGlobal: boolean;
  readonly kernels: string;
  readonly dilations: string;
}

const ecapa = ({ isGlobal, kernels, dilations }: Ecapa) => `ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels> * 3
    lin_neurons: 12
    activation: !name:torch.nn.LeakyReLU
        negative_slope: 0.2
    channels: [24, 32, 32, 32, 48]
    kernel_sizes: ${kernels}
    dilations: ${dilations}
    groups: [2, 1, 4, 2, 3]
    attention_channels: 10
    res2net_scale: 4
    se_channels: 6
    global_context: ${isGlobal ? "True" : "False"}`;

const xvector = `Xvector.Xvector
    in_channels: !ref <n_mels> * 3
    activation: !name:torch.nn.LeakyReLU
        negative_slope: 0.2
    tdnn_blocks: 3
    tdnn_channels: [16, 24, 40]
    tdnn_kernel_sizes: [3, 5, 1]
    tdnn_dilations: [2, 1, 1]
    lin_neurons: 12`;

describe.skipIf(!hasTorch)(`a model of SpeechBrain with other settings${skipped}`, () => {
  const odd = { kernels: "[3, 5, 3, 1, 3]", dilations: "[2, 1, 3, 1, 1]" };
  it.each([
    ["ECAPA-TDNN with global context", "global", ecapa({ isGlobal: true, ...odd })],
    ["ECAPA-TDNN with local context", "local", ecapa({ isGlobal: false, ...odd })],
    [
      "ECAPA-TDNN with kernels that take a frame away",
      "even",
      ecapa({ isGlobal: true, kernels: "[4, 5, 3, 1, 2]", dilations: "[1, 1, 3, 1, 1]" }),
    ],
    ["x-vector", "xvector", xvector],
  ])("gives what PyTorch gives for a padded batch: %s", { timeout: 60_000 }, async (_title, name, settings) => {
    const folder = temporaryFolder();
    const random = seededRandom(11);
    const [batch, frames, mels] = [3, 90, 20];
    const feats = Float32Array.from({ length: batch * frames * mels }, () => 40 * random() - 60);
    const lens = Float32Array.of(1, 0.61, 0.333);
    writeFileSync(join(folder, "feats.npy"), encodeNpy(ndArray("float32", feats, [batch, frames, mels])));
    writeFileSync(join(folder, "lens.npy"), encodeNpy(ndArray("float32", lens, [batch])));
    const made = spawnSync(python, [script, name, folder], { encoding: "utf8" });
    expect(made.stderr).toBe("");
    const config = join(folder, "hyperparams.yaml");
    writeFileSync(config, hyperparams(settings));
    const weights = join(folder, "embedding_model.ckpt");
    const model = await loadOnnx(describeCheckpoint({ toolkit: "speechbrain", config, weights }).convert());
    const { embs } = await model.run({
      feats: { dtype: "float32", shape: [batch, frames, mels], data: feats },
      lens: { dtype: "float32", shape: [batch], data: lens },
    });
    await model.release();
    const reference = readNpy(join(folder, "embs.npy"));
    expect(embs!.shape).toEqual(reference.shape);
    const wanted = [...(reference.data as Float32Array)];
    const ours = embs!.data as Float32Array;
    expect(Math.hypot(...wanted.map((value, at) => value - ours[at]!)) / Math.hypot(...wanted)).toBeLessThan(1e-5);
  });
});
