import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { describeCheckpoint } from "../../../src/checkpoints/describe-checkpoint.ts";
import { encodeNpy, ndArray, readNpy } from "../../../src/formats.ts";
import { type CheckpointFiles, loadOnnx } from "../../../src/speech.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const script = fileURLToPath(new URL("../../support/recipes/espnet_models.py", import.meta.url));
const python = "/usr/bin/python3";
const hasTorch = spawnSync(python, ["-c", "import torch"]).status === 0;
const skipped = hasTorch ? "" : " (skipped: PyTorch is not installed)";

const melspec = {
  frontend: "melspec_torch",
  frontend_conf: { preemp: true, n_fft: 512, log: true, win_length: 400, hop_length: 160, n_mels: 80, normalize: "mn" },
};
const sizes = { ndim: 32, output_size: 48 };

const configs: Readonly<Record<string, object>> = {
  ecapa_tdnn: {
    encoder: "ecapa_tdnn",
    encoder_conf: { ...sizes, model_scale: 4 },
    pooling: "chn_attn_stat",
    projector: "rawnet3",
  },
  ska_tdnn: {
    encoder: "ska_tdnn",
    encoder_conf: { ...sizes, model_scale: 4, ska_dim: 8 },
    pooling: "chn_attn_stat",
    projector: "ska_tdnn",
  },
  xvector: { encoder: "xvector", encoder_conf: sizes, pooling: "stats", projector: "xvector" },
  long: {
    encoder: "xvector",
    encoder_conf: { ...sizes, paddings: [4, 4, 4, 2, 2] },
    pooling: "stats",
    projector: "xvector",
  },
  mean: { encoder: "xvector", encoder_conf: sizes, pooling: "mean", projector: "xvector" },
  plain: {
    frontend_conf: { preemp: false, n_fft: 400, win_length: 320, hop_length: 128, n_mels: 40 },
    normalize: "utterance_mvn",
    normalize_conf: { norm_vars: true },
    encoder: "ecapa_tdnn",
    encoder_conf: { ...sizes, model_scale: 4 },
    pooling: "stats",
    projector: "ska_tdnn",
  },
};

/** Makes a checkpoint with PyTorch, and gives what it and its conversion compute for two waves of noise. */
async function compare(name: string, files: (folder: string) => CheckpointFiles): Promise<number[]> {
  const folder = temporaryFolder();
  const random = seededRandom(3);
  const samples = 24_000;
  // Louder and quieter parts, as speech has them.
  const wave = Float32Array.from(
    { length: 2 * samples },
    (_, at) => 0.3 * (random() - 0.5) * (1.1 + Math.sin(at / 900)),
  );
  writeFileSync(join(folder, "wave.npy"), encodeNpy(ndArray("float32", wave, [2, samples])));
  const made = spawnSync(python, [script, name, folder], { encoding: "utf8" });
  expect(made.stderr).toBe("");
  const checkpoint = describeCheckpoint(files(folder));
  const model = await loadOnnx(checkpoint.convert());
  const { embs } = await model.run({ wave: { dtype: "float32", shape: [2, samples], data: wave } });
  await model.release();
  const reference = readNpy(join(folder, "embs.npy"));
  expect(embs!.shape).toEqual([2, checkpoint.dimension]);
  expect(reference.shape).toEqual(embs!.shape);
  return [0, 1].map((row) => {
    const part = (values: ArrayLike<number>) =>
      Array.from(values).slice(row * checkpoint.dimension, (row + 1) * checkpoint.dimension);
    const [ours, wanted] = [part(embs!.data as Float32Array), part(reference.data as Float32Array)];
    return Math.hypot(...wanted.map((value, at) => value - ours[at]!)) / Math.hypot(...wanted);
  });
}

describe.skipIf(!hasTorch)(`checkpoints that PyTorch makes${skipped}`, () => {
  it.each(Object.entries(configs))(
    "%s of ESPnet gives what PyTorch gives",
    { timeout: 300_000 },
    async (name, config) => {
      const distances = await compare(name, (folder) => {
        const path = join(folder, "config.yaml");
        writeFileSync(
          path,
          JSON.stringify({ ...melspec, ...config, projector_conf: { output_size: 24 }, max_epoch: 40 }),
        );
        return { toolkit: "espnet", config: path, weights: join(folder, "model.pth") };
      });
      expect(Math.max(...distances)).toBeLessThanOrEqual(1e-4);
    },
  );

  it("RawNet's own RawNet3 gives what PyTorch gives", { timeout: 300_000 }, async () => {
    const distances = await compare("rawnet", (folder) => ({ toolkit: "rawnet", weights: join(folder, "model.pth") }));
    expect(Math.max(...distances)).toBeLessThanOrEqual(1e-4);
  });
});

describe("a configuration of ESPnet", () => {
  const describeConfig = (config: object) => {
    const path = join(temporaryFolder(), "config.yaml");
    writeFileSync(path, JSON.stringify(config));
    return describeCheckpoint({ toolkit: "espnet", config: path, weights: "none.pth" });
  };
  const whole = { ...melspec, ...configs["ecapa_tdnn"], projector_conf: { output_size: 24 } };

  it("says what the model takes and gives before its weights are read", () => {
    expect(describeConfig(whole)).toMatchObject({
      toolkit: "espnet",
      dimension: 24,
      sampleRate: 16_000,
      features: undefined,
    });
  });

  it("says how many samples front end and encoder need together", () => {
    const minLength = (config: object) => describeConfig({ ...whole, ...config }).minLength;
    const sinc = { frontend: "asteroid_frontend", frontend_conf: { sinc_kernel_size: 251, sinc_stride: 16 } };
    expect(minLength({ encoder: "rawnet3", ...sinc })).toBe(251 + 14 * 16);
    expect(minLength({ encoder: "rawnet3" })).toBe(14 * 160);
    expect(minLength({})).toBe(257);
    const shorter = { kernel_sizes: [5, 3, 3, 1, 1], paddings: [0, 0, 0, 0, 0] };
    expect(minLength({ encoder: "xvector", encoder_conf: shorter })).toBe(14 * 160);
  });

  it("without a name for a part has the part that ESPnet takes then", () => {
    expect(describeConfig(melspec)).toMatchObject({
      architecture: "melspec_torch, rawnet3, chn_attn_stat, rawnet3",
      dimension: 192,
    });
  });

  it("with a self-supervised front end is refused by its name, with the way to export it", () => {
    const frontend = { frontend: "s3prl", frontend_conf: { frontend_conf: { upstream: "wavlm_large" } } };
    expect(() => describeConfig({ ...whole, ...frontend })).toThrow(
      /frontend: "s3prl" is not converted \(wavlm_large, a self-supervised model\)[\s\S]*Export it to ONNX/,
    );
  });

  it("with an unknown class or setting is refused by its name", () => {
    expect(() => describeConfig({ ...whole, encoder: "mfa_conformer" })).toThrow(
      /encoder: "mfa_conformer" is not converted/,
    );
    expect(() => describeConfig({ ...whole, pooling_conf: { use_masking: true } })).toThrow(
      /use_masking: true is not converted/,
    );
    expect(() => describeConfig({ ...whole, encoder_conf: { model_scale: 1 } })).toThrow(
      /encoder ecapa_tdnn: model_scale is 1, which ESPnet cannot run/,
    );
    expect(() => describeConfig({ ...whole, encoder_conf: { n_dim: 3 } })).toThrow(
      /n_dim is not known \(did you mean ndim\?\)/,
    );
  });
});
