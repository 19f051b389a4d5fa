// X-vectors, features and inference of audio from a slow place and from the disk, with four calls open and with one: files
// are read while the model computes. Needs the speech and the model of ../shared (or MILLRACE_SHARED).
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { extractXVectors, infer, prepareData } from "millrace/recipes";
import { inFolder, ratioOfPairs, row } from "./measure.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const data = join(process.env.MILLRACE_SHARED ?? resolve(here, "..", "..", "shared"), "data");
const model = join(data, "models", "spk_thinresnet_fbank80.onnx");
const path = join(data, "speech", "manifest.tsv");
const pairs = Number(process.env.MILLRACE_BENCH_PAIRS ?? 3);

/** Each recipe over the same audio, read after some milliseconds; its outputs go into a folder. */
const recipes = {
  "x-vectors": (folder, latency_ms, options) => {
    const manifest_paths = { test: { _target_: "./bench/open-slowly.mjs#openSlowly", path, latency_ms } };
    const xvector = { toolkit: "onnx", pretrained_model: model, model: { min_frames: 8 }, save_path: folder };
    return extractXVectors({ xvector: { ...xvector, manifest_paths } }, options);
  },
  "features (fbank)": (folder, latency_ms, options) => {
    const manifest = { _target_: "./bench/open-slowly.mjs#openSlowly", path, latency_ms };
    const features = { type: "fbank", options: { num_mel_bins: 80 } };
    return prepareData({ prep: { manifest, output_dir: folder, features, audio: { write: true } } }, options);
  },
  inference: (folder, latency_ms, options) => {
    const dataset = { _target_: "./bench/open-slowly.mjs#openSamples", path, latency_ms };
    const speaker = { _target_: "./bench/open-slowly.mjs#openSpeakerModel", path: model };
    return infer({ dataset: { test: [{ name: "test", dataset }] }, model: speaker, inference_dir: folder }, options);
  },
};

export function bench() {
  if (!existsSync(model)) {
    console.log("  skipped: there is no speech in ../shared (MILLRACE_SHARED may name another place)");
    return [];
  }
  return inFolder(async (folder) => {
    const rows = [];
    for (const [name, run] of Object.entries(recipes)) {
      for (const [where, latencyMs] of [
        ["30 ms a read", 30],
        ["the disk", 0],
      ]) {
        const calls = (concurrency) => (i) =>
          run(join(folder, `${name}-${latencyMs}-${concurrency}-${i}`), latencyMs, { progress: false, concurrency });
        const ratio = await ratioOfPairs(pairs, calls(1), calls(4));
        const figure = row(`${name} of ${where}, 4 calls open, time by that of 1`, ratio, "x", 0.8);
        // On a fast disk there is nothing to wait for: shown for comparison.
        rows.push(latencyMs > 0 ? figure : { ...figure, limit: 0, holds: true });
      }
    }
    return rows;
  });
}
