// The whole x-vector job on two workers, from audio to files and report, compared with a hand-written loop over
// onnxruntime-node that reads its features from disk, and with two such loops, one per core. Needs the speech and the
// model of ../shared (or MILLRACE_SHARED).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { extractXVectors } from "millrace/recipes";
import { fbank, readAudio } from "millrace/speech";
import { inFolder, median, row } from "./measure.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const data = join(process.env.MILLRACE_SHARED ?? resolve(here, "..", "..", "shared"), "data");
const model = join(data, "models", "spk_thinresnet_fbank80.onnx");
// How often the corpus of 13 minutes is repeated: six and a half hours, so that fixed costs have their real weight.
const rounds = Number(process.env.MILLRACE_BENCH_ROUNDS ?? 30);
const pairs = 5;

export function bench() {
  if (!existsSync(model)) {
    console.log("  skipped: there is no speech in ../shared (MILLRACE_SHARED may name another place)");
    return [];
  }
  return inFolder(async (folder) => {
    const { manifest, features, seconds } = await prepare(folder);
    const toOne = [];
    const toTwo = [];
    const ourMs = [];
    for (let i = 0; i <= pairs; i++) {
      const one = await time(() => loop(features, "all", folder));
      const two = await time(() => Promise.all(["0", "1"].map((half) => loop(features, half, folder))));
      const ours = await time(() => extract(manifest, join(folder, `run-${i}`)));
      if (i === 0) continue;
      toOne.push(ours / one);
      toTwo.push(ours / two);
      ourMs.push(ours);
    }
    const hours = (seconds * 1000) / median(ourMs);
    return [
      row("x-vectors on 2 workers, time by that of a loop over features", median(toOne), "x", 1.15),
      row("x-vectors on 2 workers, time by that of two such loops", median(toTwo), "x", 1.15),
      { ...row("x-vectors on 2 workers, hours of audio an hour", hours, "h", 0), holds: true },
    ];
  });
}

/** The corpus several times over, and its features as a hand-written program would store them. */
async function prepare(folder) {
  const lines = readFileSync(join(data, "speech", "manifest.tsv"), "utf8")
    .trim()
    .split("\n");
  mkdirSync(join(folder, "feats"));
  const rows = [];
  const features = [];
  let seconds = 0;
  for (const line of lines) {
    const [id, wav, text, speaker] = line.split("\t");
    const path = join(data, "speech", wav);
    const { samples, durationSeconds } = await readAudio(path);
    const matrix = fbank(samples, { numMelBins: 80 });
    const file = join(folder, "feats", `${id}.f32`);
    writeFileSync(file, new Uint8Array(matrix.data.buffer, matrix.data.byteOffset, matrix.data.byteLength));
    for (let round = 0; round < rounds; round++) {
      rows.push([`${id}-${round}`, path, text, speaker].join("\t"));
      features.push(file);
      seconds += durationSeconds;
    }
  }
  const manifest = join(folder, "manifest.tsv");
  writeFileSync(manifest, `${rows.join("\n")}\n`);
  writeFileSync(join(folder, "features.json"), JSON.stringify(features));
  return { manifest, features: join(folder, "features.json"), seconds };
}

async function loop(features, part, folder) {
  const args = [join(here, "xvector-loop.mjs"), model, features, part, join(folder, `loop-${part}.f32`)];
  const [code] = await once(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }), "exit");
  if (code !== 0) throw new Error(`the loop ended with ${code}`);
}

async function extract(manifest, save_path) {
  const xvector = {
    toolkit: "onnx",
    pretrained_model: model,
    save_path,
    manifest_paths: { test: manifest },
    model: { min_frames: 8 },
  };
  const parallel = { env: "process", n_workers: 2 };
  const [{ written }] = await extractXVectors({ xvector }, { parallel, progress: false });
  if (written !== 100 * rounds) throw new Error(`${written} vectors`);
}

async function time(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
