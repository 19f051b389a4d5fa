// 80-bin Kaldi fbank of 10 minutes of audio on one core, compared with NumPy and SciPy on all cores.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fbank } from "millrace/speech";
import { inFolder, median, row } from "./measure.mjs";

const script = fileURLToPath(new URL("./fbank-numpy.py", import.meta.url));
const seconds = 600;
const pairs = 11;

export function bench() {
  const python = ["/usr/bin/python3", "python3"].find(
    (program) => spawnSync(program, ["-c", "import numpy, scipy"], { stdio: "ignore" }).status === 0,
  );
  if (python === undefined) {
    console.log("  skipped: there is no Python with NumPy and SciPy (Debian: python3-numpy, python3-scipy)");
    return [];
  }
  return inFolder(async (folder) => {
    const samples = makeSamples();
    const files = [join(folder, "samples.f32"), join(folder, "fbank.f32")];
    writeFileSync(files[0], new Uint8Array(samples.buffer));
    const child = spawn(python, [script, ...files], { stdio: ["pipe", "pipe", "inherit"] });
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    await answers.next();
    requireSame(
      fbank(samples, { numMelBins: 80 }).data,
      new Float32Array(new Uint8Array(readFileSync(files[1])).buffer),
    );
    const theirMs = async (library) => {
      child.stdin.write(`${library}\n`);
      return Number((await answers.next()).value);
    };
    const [ours, ofNumpy, ofScipy] = [[], [], []];
    // The first round is not counted: it compiles code and allocates memory.
    for (let i = 0; i <= pairs; i++) {
      const numpyMs = await theirMs("numpy");
      const scipyMs = await theirMs("scipy");
      const began = performance.now();
      fbank(samples, { numMelBins: 80 });
      const ourMs = performance.now() - began;
      if (i === 0) continue;
      ours.push(ourMs);
      ofNumpy.push(ourMs / numpyMs);
      ofScipy.push(ourMs / scipyMs);
    }
    child.stdin.end();
    await once(child, "exit");
    return [
      row("80-bin fbank of 10 minutes, time by that of NumPy", median(ofNumpy), "x", 1),
      row("80-bin fbank of 10 minutes, time by that of SciPy", median(ofScipy), "x", 1),
      row("80-bin fbank, seconds of work per hour of audio", (median(ours) * 3600) / seconds / 1000, "s", 2),
    ];
  });
}

function makeSamples() {
  let state = 1;
  return Float32Array.from({ length: 16_000 * seconds }, (_, i) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.1 * (state / 2 ** 32 - 0.5) + 0.2 * Math.sin(i * 0.05);
  });
}

/** The comparison is valid only if both sides compute the same. */
function requireSame(ours, theirs) {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} values against ${theirs.length}`);
  const furthest = ours.reduce((max, value, i) => Math.max(max, Math.abs(value - theirs[i])), 0);
  if (!(furthest < 0.02)) throw new Error(`the two sides differ by ${furthest}`);
}
