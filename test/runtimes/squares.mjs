import { defineRun, isMainModule, range } from "millrace";

export const squares = defineRun(import.meta, { env: () => ({}), forward: (i) => ({ i, square: i * i }) });

if (isMainModule(import.meta)) {
  const [, , env, workers] = process.argv;
  const options = { outputDir: "exp", mergeFiles: true, parallel: { env, n_workers: Number(workers) } };
  const records = await squares.run(range(100), options);
  if (records.length !== 100 || records[9].square !== 81) throw new Error(`wrong records: ${records.length}`);
}
