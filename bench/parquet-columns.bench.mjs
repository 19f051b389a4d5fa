// Chosen columns of a Parquet file as values of the language, ours beside pyarrow's in Python: a program that stays open and does
// one reading for each line that it gets, so that neither side pays for its start.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openParquet } from "../dist/datasets.js";
import { noPythonEnv, pythonOfEnv } from "../scripts/python-env.mjs";
import { inFolder, memory, ratioOfPairs, row } from "./measure.mjs";

const rows = 500_000;
const program = `
import sys
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
path, rows = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(1)
pq.write_table(pa.table({
  "id": pa.array([f"utterance-{i}" for i in range(rows)]),
  "duration": random.uniform(1, 30, rows),
  "frames": random.integers(0, 3000, rows).astype(np.int32),
  "text": pa.array(["some words that are said " + str(i % 1000) for i in range(rows)]),
  "score": random.normal(size=rows).astype(np.float32),
}), path, row_group_size=50_000)
print("ready", flush=True)
for line in sys.stdin:
  read = 0
  for batch in pq.ParquetFile(path).iter_batches(columns=line.split(), batch_size=50_000):
    for values in batch.to_pylist():
      read += 1
  print(read, flush=True)
`;

export async function bench() {
  const python = pythonOfEnv();
  if (python === undefined) {
    console.log(`  skipped: ${noPythonEnv}`);
    return [];
  }
  return inFolder(async (folder) => {
    const path = join(folder, "x.parquet");
    const child = spawn(python, ["-c", program, path, String(rows)], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const answers = lines[Symbol.asyncIterator]();
    try {
      await answers.next();
      const results = [];
      for (const columns of [
        ["duration", "frames"],
        ["id", "text"],
      ]) {
        const theirs = async () => {
          child.stdin.write(`${columns.join(" ")}\n`);
          const { value } = await answers.next();
          if (Number(value) !== rows) throw new Error(`pyarrow read ${value} rows`);
        };
        const ours = async () => {
          const data = await openParquet(path, { columns });
          let read = 0;
          for await (const values of data) if (values[columns[0]] !== null) read++;
          await data.close();
          if (read !== rows) throw new Error(`${read} rows were read`);
        };
        const ratio = await ratioOfPairs(5, theirs, ours);
        results.push(
          row(`Parquet, columns ${columns.join(" and ")} of ${rows} rows / pyarrow (to_pylist)`, ratio, "x", 2),
        );
      }
      return results;
    } finally {
      child.stdin.end();
      await once(child, "exit");
    }
  }, memory);
}
