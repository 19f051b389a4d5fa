// A checkpoint that was trained with audio of 8 kHz, and audio of this and other rates.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodePt, type NdArray, ndArray, readPt } from "millrace/formats";
import { extractXVectors } from "millrace/recipes";
import { describeCheckpoint, encodeWav, loadOnnx, speechbrainFbank } from "millrace/speech";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { hyperparams, weights } from "../support/checkpoints/small-xvector.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", temporaryFolder());
  return () => vi.unstubAllEnvs();
});

/** The same second of tones below 3 kHz, at any rate. */
function tones(sampleRate: number): Float32Array {
  const partials = Array.from({ length: 14 }, (_, n) => [210 * (n + 1), 0.5 / (n + 2)] as const);
  return Float32Array.from({ length: sampleRate }, (_, i) => {
    const time = i / sampleRate;
    const level = 0.2 + 0.1 * Math.sin(40 * time);
    return level * partials.reduce((sum, [hertz, part]) => sum + part * Math.sin(2 * Math.PI * hertz * time), 0);
  });
}

/** The small checkpoint with other weights, for the features of this rate. */
function writeCheckpoint(sampleRate: number) {
  const folder = temporaryFolder();
  const random = seededRandom(5);
  const vary = (array: NdArray) =>
    array.dtype === "float32"
      ? ndArray(
          "float32",
          Float32Array.from(array.data, () => random()),
          array.shape,
        )
      : array;
  const config = join(folder, "hyperparams.yaml");
  writeFileSync(config, hyperparams.replace("Fbank\n", `Fbank\n    sample_rate: ${sampleRate}\n`));
  const path = join(folder, "embedding_model.ckpt");
  writeFileSync(
    path,
    encodePt(Object.fromEntries(Object.entries(weights).map(([name, array]) => [name, vary(array)]))),
  );
  return { folder, files: { toolkit: "speechbrain", config, weights: path } as const };
}

function distance(values: ArrayLike<number>, wanted: ArrayLike<number>): number {
  const norm = (numbers: readonly number[]) => Math.hypot(...numbers);
  return norm(Array.from(wanted, (value, i) => value - values[i]!)) / norm(Array.from(wanted));
}

describe("a checkpoint for 8 kHz", () => {
  it("gets audio of 8 kHz as it is, and of any other rate resampled to 8 kHz", async () => {
    const { folder, files } = writeCheckpoint(8000);
    const checkpoint = describeCheckpoint(files);
    expect(checkpoint.sampleRate).toBe(8000);
    const model = await loadOnnx(checkpoint.convert());
    const embed = async (samples: Float32Array) => {
      const { data, rows, columns } = speechbrainFbank(samples, { sampleRate: 8000, nMels: 8, nFft: 400 });
      const feats = { dtype: "float32", shape: [1, rows, columns], data } as const;
      const { embs } = await model.run({ feats, lens: { dtype: "float32", shape: [1], data: Float32Array.of(1) } });
      return embs!.data as Float32Array;
    };
    const wanted = await embed(tones(8000));
    // What would be wrong: the samples of 16 kHz taken for those of 8 kHz.
    const unchanged = await embed(tones(16_000));
    await model.release();

    const corpus = temporaryFolder();
    mkdirSync(join(corpus, "wav"));
    const rates = [8000, 16_000, 44_100];
    for (const rate of rates) {
      const wav = encodeWav(tones(rate), { sampleRate: rate, encoding: "float32" });
      writeFileSync(join(corpus, "wav", `${rate}.wav`), wav);
    }
    const manifest = join(corpus, "manifest.tsv");
    writeFileSync(manifest, rates.map((rate) => `r${rate}\twav/${rate}.wav\ttext\ts\n`).join(""));
    const xvector = {
      toolkit: "speechbrain",
      pretrained_model: folder,
      spk_embed_tag: "tag",
      save_path: corpus,
      manifest_paths: { test: manifest },
      report: false,
    } as const;
    await extractXVectors({ xvector }, { progress: false });
    const [same, half, odd] = rates.map((rate) => {
      const { data } = readPt(join(corpus, "tag", "test", `r${rate}.pt`)) as NdArray<"float32">;
      return distance(data, wanted);
    });
    expect(same).toBeLessThan(1e-6);
    expect(Math.max(half!, odd!)).toBeLessThan(0.002);
    expect(distance(unchanged, wanted)).toBeGreaterThan(0.05);
  });
});
