// One function over ten thousand items, on all cores, into one file. Run it twice: the second time nothing is left to do.
import { defineRun, isMainModule, range } from "millrace";

export const hello = defineRun(import.meta, {
  // Once in every worker: what is slow to make.
  env: () => ({ names: ["Ada", "Grace", "Katherine", "Mary"] }),
  // Once for every item; what it returns is a line of records.jsonl, null drops the item.
  forward: (idx, { names }) => (idx % 1000 === 999 ? null : { idx, text: `hello ${names[idx % names.length]}` }),
});

if (isMainModule(import.meta)) {
  const [outputDir = "exp/hello"] = process.argv.slice(2);
  const records = await hello.run(range(10_000), { outputDir, mergeFiles: true, parallel: { env: "process" } });
  console.log(`${records.length} records in ${outputDir}/records.jsonl; the last one:`, records.at(-1));
}
