// Vectors of 192 floats, each in its own file or all in an archive, with a list of them, compared with NumPy and
// PyTorch programs that do the same; MILLRACE_BENCH_VECTORS is their number.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { BaseRunner, EnvironmentProvider, isMainModule, range } from "millrace";
import { arkScpWriter, mergeScp, ndArray, npyScpWriter, ptScpWriter } from "millrace/formats";
import { inFolder, ratioOfPairs, row } from "./measure.mjs";

const script = fileURLToPath(new URL("./write-vectors.py", import.meta.url));
const count = Number(process.env.MILLRACE_BENCH_VECTORS ?? 100_000);
const size = 192;
const pairs = 3;
// Both sides have their numbers in memory before the clock starts.
const vectors = Float32Array.from({ length: 1000 * size }, (_, i) => i);

const sides = [
  { kind: "npy", module: "numpy", by: "NumPy", open: npyScpWriter },
  { kind: "pt", module: "torch", by: "PyTorch", open: ptScpWriter },
  { kind: "ark", module: "numpy", by: "NumPy", open: arkScpWriter },
];

export function bench() {
  return inFolder(async (folder) => {
    const rows = [];
    for (const side of sides) rows.push(...(await benchSide(folder, side)));
    return rows;
  });
}

async function benchSide(folder, { kind, module, by, open }) {
  const python = ["/usr/bin/python3", "python3"].find(
    (program) => spawnSync(program, ["-c", `import ${module}`], { stdio: "ignore" }).status === 0,
  );
  if (python === undefined) {
    console.log(`  skipped: there is no Python with ${module} (Debian: python3-${module})`);
    return [];
  }
  const child = spawn(python, [script, String(count), String(size)], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  await answers.next();
  const ratio = await ratioOfPairs(
    pairs,
    async (i) => {
      child.stdin.write(`${kind} ${join(folder, `theirs-${kind}-${i}`)}\n`);
      await answers.next();
    },
    (i) => write(open, join(folder, `ours-${kind}-${i}`), count),
  );
  child.stdin.end();
  await once(child, "exit");
  const [few, all] = [count / 10, count].map((vectors) =>
    liveMegabytes(kind, join(folder, `${kind}-${vectors}`), vectors),
  );
  return [
    row(`${count} vectors as ${kind} + scp, time by that of ${by}`, ratio, "x", 1),
    row(`memory in use that they take more than a tenth of them, ${kind} + scp`, Math.max(0, all - few), "MB", 16),
  ];
}

/** Memory in use when all vectors are written, in a separate process, after garbage collection. */
function liveMegabytes(...args) {
  const self = fileURLToPath(import.meta.url);
  return Number(execFileSync(process.execPath, ["--expose-gc", self, ...args.map(String)], { encoding: "utf8" }));
}

class VectorProvider extends EnvironmentProvider {
  buildEnvLocal() {
    return { vectors, open: this.params.open };
  }
}

class VectorRunner extends BaseRunner {
  static forward(idx, { vectors }) {
    const from = (idx % 1000) * size;
    return { id: `utt-${idx}`, array: ndArray("float32", vectors.subarray(from, from + size)) };
  }
  static openWriters(shardDir, { open }) {
    return { vectors: open(shardDir, { name: "vectors" }) };
  }
  static writeRecord({ vectors }, result) {
    vectors.write(result);
  }
  merge(shardDirs) {
    if (isMainModule(import.meta.url)) reportMemory();
    return mergeScp(shardDirs, "vectors");
  }
}

function write(open, outputDir, vectors) {
  const options = { outputDir, progress: false, parallel: { env: "local" } };
  return new VectorRunner(new VectorProvider({}, { open }), options).run(range(vectors));
}

function reportMemory() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  console.log((heapUsed + external) / 2 ** 20);
}

if (isMainModule(import.meta.url)) {
  const [kind, outputDir, vectors] = process.argv.slice(2);
  await write(sides.find((side) => side.kind === kind).open, outputDir, Number(vectors));
}
