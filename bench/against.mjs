// Compares two builds of the library, started in turns: node bench/against.mjs THEIR_DIST OUR_DIST [PAIRS]
// Prints for tiny items, a run of one item, items of 5 ms and the start of the command line the median of ours / theirs with
// its quartiles, and beside it that of theirs / theirs, one pair apart: the noise of the machine.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { inFolder, median, memory, timeMs } from "./measure.mjs";

const counts = { "tiny-items": 4_000_000, "one-item": 1, "5-ms-items": 300 };
// The first runs of a process compile the loop.
const warmUps = 1;
const repeats = 3;
const itemMs = 5;

const [first, second, ...others] = process.argv.slice(2);
if (first === "--job") await printTimes(second, others[0], others[1]);
else await inFolder((folder) => compare([resolve(first), resolve(second)], Number(others[0] ?? 11), folder), memory);

async function compare(builds, pairs, folder) {
  const jobs = {
    ...Object.fromEntries(
      Object.keys(counts).map((name) => [name, (dist, at) => runJob(name, dist, join(folder, `${name}-${at}`))]),
    ),
    "cli-start": (dist) => startProgram(dist),
  };
  for (const [name, run] of Object.entries(jobs)) {
    const rounds = [];
    for (let i = 0; i < pairs; i++) rounds.push(builds.map((dist, at) => run(dist, `${i}-${at}`)));
    for (const kind of Object.keys(rounds[0][0])) {
      const ratios = rounds.map(([theirs, ours]) => ours[kind] / theirs[kind]);
      const noise = rounds.slice(1).map(([theirs], i) => theirs[kind] / rounds[i][0][kind]);
      const medians = builds.map((_, at) => median(rounds.map((round) => round[at][kind])).toFixed(1));
      const what = `${name} ${kind === "ms" ? "time" : "CPU time"}`.padEnd(22);
      console.log(`${what} ours / theirs ${describe(ratios)}  noise ${describe(noise)}  ms ${medians.join(" -> ")}`);
    }
  }
}

function describe(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(3);
  return `${median(sorted).toFixed(3)} (${at(0.25)} to ${at(0.75)})`;
}

function runJob(name, dist, folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [process.argv[1], "--job", name, dist, folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} of ${dist} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function startProgram(dist) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [join(dist, "cli", "millrace.js"), "--help"]);
  if (status !== 0) throw new Error(`the program of ${dist} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - began };
}

/** Runs a job of a build in this process, and prints the medians of its runs. */
async function printTimes(name, dist, folder) {
  const { BaseRunner, EnvironmentProvider, range } = await import(pathToFileURL(join(dist, "index.js")).href);
  class Provider extends EnvironmentProvider {
    buildEnvLocal() {
      return { factor: 2 };
    }
  }
  const isTiny = name !== "5-ms-items";
  class Runner extends BaseRunner {
    static forward(idx, { factor }) {
      if (isTiny) return { idx, value: idx * factor };
      const end = performance.now() + itemMs;
      while (performance.now() < end);
      return { idx };
    }
  }
  const [ms, cpuMs] = [[], []];
  for (let i = -warmUps; i < repeats; i++) {
    const runner = new Runner(new Provider({}), { outputDir: join(folder, String(i)), progress: false });
    const before = process.cpuUsage();
    const time = await timeMs(() => runner.run(range(counts[name])));
    const { user, system } = process.cpuUsage(before);
    if (i < 0) continue;
    ms.push(time);
    cpuMs.push((user + system) / 1000);
  }
  console.log(JSON.stringify({ ms: median(ms), cpuMs: median(cpuMs) }));
}
