// Statistics of a corpus of float32 features, compared with a NumPy program that does the same; MILLRACE_BENCH_STATS_MB
// is the size (10240 for ten gigabytes).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readCmvnStats } from "millrace/recipes";
import { inFolder, median, row, timeMs } from "./measure.mjs";
import { collect, writeCorpus } from "./stats-corpus.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const megabytes = Number(process.env.MILLRACE_BENCH_STATS_MB ?? 512);
const pairs = 3;

export function bench() {
  const python = ["/usr/bin/python3", "python3"].find(
    (program) => spawnSync(program, ["-c", "import numpy"], { stdio: "ignore" }).status === 0,
  );
  if (python === undefined) {
    console.log("  skipped: there is no Python with NumPy (Debian: python3-numpy)");
    return [];
  }
  return inFolder(async (folder) => {
    const [corpus, lengths, theirs] = ["corpus.f32", "lengths.u32", "numpy.npz"].map((name) => join(folder, name));
    const utterances = writeCorpus(corpus, lengths, megabytes * 2 ** 20);
    const child = spawn(python, [here("./stats-numpy.py"), corpus, lengths, theirs], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    await answers.next();
    const numpyMs = async (precision) => {
      child.stdin.write(`${precision}\n`);
      return Number((await answers.next()).value);
    };
    const [ofFloat64, ofFloat32] = [[], []];
    // The first round is not counted: it reads the corpus into memory, as far as it fits, and compiles the code.
    for (let i = 0; i <= pairs; i++) {
      const float32Ms = await numpyMs("float32");
      const float64Ms = await numpyMs("float64");
      const outputDir = join(folder, `ours-${i}`);
      const ourMs = await timeMs(() => collect(corpus, lengths, { outputDir, utterances }));
      requireSame(join(outputDir, "train", "feats_stats.npz"), theirs);
      if (i === 0) continue;
      ofFloat64.push(ourMs / float64Ms);
      ofFloat32.push(ourMs / float32Ms);
    }
    child.stdin.end();
    await once(child, "exit");
    const small = peakMegabytes([corpus, lengths, Math.ceil(utterances / 16), join(folder, "small")]);
    const large = peakMegabytes([corpus, lengths, utterances, join(folder, "large")]);
    return [
      row(`statistics of ${megabytes} MB of features, time by that of NumPy in float64`, median(ofFloat64), "x", 1),
      row(`statistics of ${megabytes} MB of features, time by that of NumPy in float32`, median(ofFloat32), "x", 1),
      row(`memory that ${megabytes} MB take more than a sixteenth of them`, Math.max(0, large - small), "MB", 64),
    ];
  });
}

function peakMegabytes(args) {
  const { stdout, stderr } = spawnSync(process.execPath, [here("./stats-corpus.mjs"), ...args.map(String)], {
    encoding: "utf8",
  });
  const peak = Number(stdout);
  if (!(peak > 0)) throw new Error(stderr);
  return peak;
}

/** The comparison is valid only if both sides compute the same. */
function requireSame(ours, theirs) {
  const [a, b] = [readCmvnStats(ours), readCmvnStats(theirs)];
  const furthest = [...a.sum, ...a.sumSquare].reduce((most, value, i) => {
    const other = i < a.sum.length ? b.sum[i] : b.sumSquare[i - a.sum.length];
    return Math.max(most, Math.abs(value / other - 1));
  }, 0);
  if (a.count !== b.count || !(furthest < 1e-12)) throw new Error(`the two sides differ by ${furthest}`);
}
