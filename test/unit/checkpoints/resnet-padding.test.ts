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

const script = fileURLToPath(new URL("../../support/recipes/speechbrain_resnet.py", import.meta.url));
const python = "/usr/bin/python3";
const hasTorch = spawnSync(python, ["-c", "import torch"]).status === 0;
const skipped = hasTorch ? "" : " (skipped: PyTorch is not installed)";

const mels = 20;
const hyperparams = (settings: object) => `
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: ${mels}
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.ResNet.ResNet
${Object.entries(settings)
  .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`)
  .join("\n")}
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
`;

/** Features as SpeechBrain has them for a padded batch: noise, and 80 dB below its peak where the samples are zeros. */
function paddedFeatures([batch, frames, mels]: readonly [number, number, number], lens: Float32Array): Float32Array {
  const random = seededRandom(11);
  const feats = Float32Array.from({ length: batch * frames * mels }, () => 40 * random() - 60);
  for (const [at, length] of lens.entries()) {
    const utterance = feats.subarray(at * frames * mels, (at + 1) * frames * mels);
    const end = Math.ceil(length * frames) * mels;
    utterance.fill(Math.max(...utterance.subarray(0, end)) - 80, end);
  }
  return feats;
}

function distance(values: ArrayLike<number>, wanted: ArrayLike<number>): number {
  const norm = (numbers: readonly number[]) => Math.hypot(...numbers);
  return norm(Array.from(wanted, (value, at) => value - values[at]!)) / norm(Array.from(wanted));
}

describe.skipIf(!hasTorch)(`ResNet of SpeechBrain for a batch that is mostly padding${skipped}`, () => {
  it("is as close to the exact vectors as float32 allows, and to PyTorch's", { timeout: 60_000 }, async () => {
    const settings = { channels: [8, 8, 8, 8], block_sizes: [1, 1, 1, 1], strides: [1, 1, 1, 1], lin_neurons: 16 };
    const folder = temporaryFolder();
    const lens = Float32Array.of(1, 0.4, 0.09);
    const shape = [3, 200, mels] as const;
    const feats = paddedFeatures(shape, lens);
    writeFileSync(join(folder, "feats.npy"), encodeNpy(ndArray("float32", feats, shape)));
    writeFileSync(join(folder, "lens.npy"), encodeNpy(ndArray("float32", lens, [3])));
    const made = spawnSync(python, [script, folder, JSON.stringify({ ...settings, input_size: mels, seed: 2 })], {
      encoding: "utf8",
    });
    expect(made.stderr).toBe("");
    const config = join(folder, "hyperparams.yaml");
    writeFileSync(config, hyperparams({ ...settings, input_size: mels }));
    const weights = join(folder, "embedding_model.ckpt");
    const model = await loadOnnx(describeCheckpoint({ toolkit: "speechbrain", config, weights }).convert());
    const { embs } = await model.run({
      feats: { dtype: "float32", shape, data: feats },
      lens: { dtype: "float32", shape: [3], data: lens },
    });
    await model.release();
    const size = settings.lin_neurons;
    const [theirs, exact] = ["embs", "exact"].map((name) => readNpy(join(folder, `${name}.npy`)).data);
    const ours = embs!.data as Float32Array;
    for (const row of [0, 1, 2]) {
      const part = (values: ArrayLike<unknown>) => Array.from(values, Number).slice(row * size, (row + 1) * size);
      // With sums in float32 the shortest utterance would be 2e-5 away from the exact vector.
      expect(distance(part(ours), part(exact!))).toBeLessThan(3e-6);
      expect(distance(part(ours), part(theirs!))).toBeLessThan(1e-5);
    }
  });
});
