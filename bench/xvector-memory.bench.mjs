// Checks that memory stays flat over a long x-vector job: what its process holds after a tenth, a half and all of the
// utterances. MILLRACE_BENCH_UTTERANCES is their number; 100,000 take some minutes.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeWav } from "millrace/speech";
import { inFolder, row } from "./measure.mjs";

const child = fileURLToPath(new URL("./xvector-memory.mjs", import.meta.url));
const count = Number(process.env.MILLRACE_BENCH_UTTERANCES ?? 20_000);
const files = 200;
const sampleRate = 16_000;

export function bench() {
  return inFolder((folder) => {
    const args = ["--expose-gc", child, makeManifest(folder), join(folder, "out")];
    const said = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    const marks = said
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [first] = marks;
    const last = marks.at(-1);
    return [
      ...marks.map(({ done, rss }) => ({ ...row(`resident after ${done} utterances`, rss, "MB", 0), holds: true })),
      row("resident at the end, by that after a tenth", last.rss / first.rss, "x", 1.2),
      row("held after a collection at the end, beyond that after a tenth", last.held - first.held, "MB", 8),
    ];
  });
}

/** A few short sounds with many names: half a second of harmonics each. */
function makeManifest(folder) {
  mkdirSync(join(folder, "wav"));
  for (let i = 0; i < files; i++) {
    const hz = 90 + i;
    const at = (n) => 0.1 * [1, 2, 3, 5].reduce((sum, k) => sum + Math.sin((2 * Math.PI * k * hz * n) / sampleRate), 0);
    const samples = Float32Array.from({ length: sampleRate / 2 }, (_, n) => at(n));
    writeFileSync(join(folder, "wav", `${i}.wav`), encodeWav(samples, { sampleRate }));
  }
  const rows = Array.from(
    { length: count },
    (_, i) => `utt-${i}\t${join(folder, "wav", `${i % files}.wav`)}\ta\tspk-${i % files}`,
  );
  const manifest = join(folder, "manifest.tsv");
  writeFileSync(manifest, `${rows.join("\n")}\n`);
  return manifest;
}
