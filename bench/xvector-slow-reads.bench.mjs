// X-vectors of audio from a slow place, with four calls open and with one: files are read while the model computes.
// Needs the speech and the model of ../shared (or MILLRACE_SHARED).
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { extractXVectors } from "millrace/recipes";
import { inFolder, ratioOfPairs, row } from "./measure.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const data = join(process.env.MILLRACE_SHARED ?? resolve(here, "..", "..", "shared"), "data");
const model = join(data, "models", "spk_thinresnet_fbank80.onnx");
const pairs = Number(process.env.MILLRACE_BENCH_PAIRS ?? 5);

export function bench() {
  if (!existsSync(model)) {
    console.log("  skipped: there is no speech in ../shared (MILLRACE_SHARED may name another place)");
    return [];
  }
  return inFolder(async (folder) => {
    const rows = [];
    for (const [where, manifest, limit] of [
      [
        "30 ms a read",
        { _target_: "./bench/slow-reads.mjs#openSlowly", path: join(data, "speech", "manifest.tsv") },
        0.7,
      ],
      ["the disk", join(data, "speech", "manifest.tsv"), 1.1],
    ]) {
      const extract = (concurrency) => (i) => {
        const save_path = join(folder, `${where.replaceAll(" ", "-")}-${concurrency}-${i}`);
        const xvector = {
          ...{ toolkit: "onnx", pretrained_model: model, model: { min_frames: 8 } },
          ...{ save_path, manifest_paths: { test: manifest } },
        };
        return extractXVectors({ xvector }, { progress: false, concurrency });
      };
      const ratio = await ratioOfPairs(pairs, extract(1), extract(4));
      rows.push(row(`x-vectors of ${where}, 4 calls open, time by that of 1`, ratio, "x", limit));
    }
    return rows;
  });
}
