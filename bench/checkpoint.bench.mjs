// A full-size ECAPA-TDNN of SpeechBrain (20.8 million weights): converted and loaded, and run on one core beside PyTorch.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadOnnx } from "millrace/speech";
import { inFolder, median, row } from "./measure.mjs";

const script = fileURLToPath(new URL("./ecapa-torch.py", import.meta.url));
const loader = fileURLToPath(new URL("./checkpoint-load.mjs", import.meta.url));
const python = "/usr/bin/python3";
const frames = 500;
const pairs = 11;

const hyperparams = `
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: 80
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: 80
    channels: [1024, 1024, 1024, 1024, 3072]
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
`;

export function bench() {
  if (spawnSync(python, ["-c", "import torch"], { stdio: "ignore" }).status !== 0) {
    console.log("  skipped: there is no PyTorch (Debian: python3-torch)");
    return [];
  }
  return inFolder(async (folder) => {
    const [config, weights, features, vector, onnx] = [
      "hyperparams.yaml",
      "embedding_model.ckpt",
      "feats.f32",
      "vector.f32",
      "model.onnx",
    ].map((name) => join(folder, name));
    const data = Float32Array.from({ length: frames * 80 }, (_, i) => -30 + 10 * Math.sin(i * 0.37) + (i % 7));
    writeFileSync(features, new Uint8Array(data.buffer));
    writeFileSync(config, hyperparams);
    const child = spawn(python, [script, weights, features, vector, String(frames)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    await answers.next();
    const { stdout } = spawnSync(process.execPath, [loader, config, weights, onnx], { encoding: "utf8" });
    const { ms, megabytes } = JSON.parse(stdout);
    const model = await loadOnnx(onnx, { threads: 1 });
    const run = () =>
      model.run({
        feats: { dtype: "float32", shape: [1, frames, 80], data },
        lens: { dtype: "float32", shape: [1], data: Float32Array.of(1) },
      });
    requireSame((await run()).embs.data, new Float32Array(new Uint8Array(readFileSync(vector)).buffer));
    const ratios = [];
    // The first round is not counted: it allocates memory.
    for (let i = 0; i <= pairs; i++) {
      child.stdin.write("\n");
      const theirMs = Number((await answers.next()).value);
      const began = performance.now();
      await run();
      if (i > 0) ratios.push((performance.now() - began) / theirMs);
    }
    child.stdin.end();
    await once(child, "exit");
    await model.release();
    return [
      row("ECAPA-TDNN of 20.8 M weights, converted and loaded", ms, "ms", 2000),
      row("the same, peak memory", megabytes, "MB", 600),
      row("the same, 5 s of speech on one core, time by that of PyTorch", median(ratios), "x", 1),
    ];
  });
}

/** The comparison is valid only if both sides compute the same. */
function requireSame(ours, theirs) {
  let [difference, size] = [0, 0];
  for (const [i, value] of theirs.entries()) {
    difference += (ours[i] - value) ** 2;
    size += value ** 2;
  }
  if (!(Math.sqrt(difference / size) < 1e-4)) throw new Error("the vectors of PyTorch and ONNX Runtime differ");
}
