// Rows of JSON lines by their index: in any order, in order, and what opening takes. Both sides of a ratio take turns in one
// process. MILLRACE_BENCH_ROWS sets the number of rows (2 million by default).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openJsonl } from "../dist/datasets.js";
import { noPythonEnv, pythonOfEnv } from "../scripts/python-env.mjs";
import { inFolder, median, memory, ratiosOfPairs, row } from "./measure.mjs";
import { openInProcess } from "./open-dataset.mjs";

const rows = Number(process.env.MILLRACE_BENCH_ROWS ?? 2_000_000);
const openedRows = rows * 5;
const asked = Array.from({ length: 100_000 }, (_, i) => (i * 7_919_333) % rows);

export async function bench() {
  return inFolder(async (folder) => {
    const path = join(folder, "rows.jsonl");
    writeLines(path, rows, (n) => `{"id":"utt-${n}","text":"some words of row ${n}","seconds":${n % 17}}\n`);
    const data = await openJsonl(path);
    try {
      return [
        ...(await randomAccess(path, data)),
        ...(await besideDatasets(path, data)),
        ...(await inOrder(path, data)),
        ...(await opening(folder)),
      ];
    } finally {
      await data.close();
    }
  }, memory);
}

function writeLines(path, count, line) {
  const fd = openSync(path, "w");
  for (let at = 0; at < count; at += 10_000) {
    let text = "";
    for (let n = at; n < Math.min(count, at + 10_000); n++) text += line(n);
    writeSync(fd, text);
  }
  closeSync(fd);
}

async function randomAccess(path, data) {
  const hand = openByHand(path);
  const { time, cpu } = await ratiosOfPairs(
    9,
    () => readEach(hand, asked),
    () => readEach(data, asked),
  );
  hand.close();
  const what = `one of ${rows} rows / a hand-written index of offsets`;
  return [row(what, time, "x", 1.2), row(`${what}, CPU time`, cpu, "x", 1.2)];
}

function readEach(source, indices) {
  for (const i of indices) if (source.at(i) === null) throw new Error("no row");
}

/** All offsets in memory, and one read a row. */
function openByHand(path) {
  const offsets = new Float64Array(rows + 1);
  const fd = openSync(path, "r");
  const chunk = Buffer.alloc(1 << 22);
  let [position, next] = [0, 1];
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    const part = chunk.subarray(0, read);
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) offsets[next++] = position + at + 1;
    position += read;
  }
  return {
    at(i) {
      const bytes = Buffer.allocUnsafe(offsets[i + 1] - offsets[i]);
      readSync(fd, bytes, 0, bytes.length, offsets[i]);
      return JSON.parse(bytes.toString("utf8"));
    },
    close: () => closeSync(fd),
  };
}

// The library's own form of the same file, made before anything is measured.
const program = `
import sys, time
import datasets
datasets.disable_progress_bars()
data = datasets.load_dataset("json", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
indices = [(i * 7919333) % len(data) for i in range(int(sys.argv[3]))]
print("ready", flush=True)
for line in sys.stdin:
  began = time.process_time()
  for i in indices:
    data[i]
  print(time.process_time() - began, flush=True)
`;

async function besideDatasets(path, data) {
  const python = pythonOfEnv();
  if (python === undefined) {
    console.log(`  skipped: ${noPythonEnv}`);
    return [];
  }
  // Fewer of them: the library takes many times as long.
  const some = asked.slice(0, asked.length / 10);
  const child = spawn(python, ["-c", program, path, `${path}.cache`, String(some.length)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" },
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    if ((await answers.next()).value !== "ready") throw new Error("Python's datasets did not open the file");
    const { time } = await ratiosOfPairs(
      5,
      async () => {
        child.stdin.write("\n");
        await answers.next();
      },
      () => readEach(data, some),
    );
    return [row(`one of ${rows} rows / Python's datasets`, time, "x", 1)];
  } finally {
    child.stdin.end();
    await once(child, "exit");
  }
}

async function inOrder(path, data) {
  const { time, cpu } = await ratiosOfPairs(
    5,
    async () => {
      const input = createReadStream(path);
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) JSON.parse(line);
    },
    async () => {
      for await (const value of data) if (value === null) throw new Error("no row");
    },
  );
  const what = `${rows} rows in order / readline and JSON.parse`;
  return [row(what, time, "x", 1), row(`${what}, CPU time`, cpu, "x", 1)];
}

async function opening(folder) {
  const path = join(folder, "many.jsonl");
  writeLines(path, openedRows, (n) => `{"id":${n}}\n`);
  await (await openJsonl(path)).close();
  const opened = [];
  for (let i = 0; i < 7; i++) opened.push(await openInProcess(path));
  const of = (key) => median(opened.map((one) => one[key]));
  return [
    row(`opening ${openedRows} rows that have an index`, of("openMs"), "ms", 50),
    row("the same, CPU time", of("openCpuMs"), "ms", 50),
    row("the same, memory of a worker when every page of the index was used", of("memoryMb"), "MB", 40),
  ];
}
