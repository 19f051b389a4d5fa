// The main job: prepares a corpus, durably. Kill it at any moment and start it again: it goes on from where it was.
import { relative } from "node:path";
import { range, runStatus, setParallel } from "millrace";
import { PrepProvider, PrepRunner } from "./prep.mjs";

const outputDir = process.argv[2] ?? "exp/prep";
const config = { utterances: 2000, frame: { lengthMs: 25, shiftMs: 10 } };

setParallel({ env: "process" }); // a worker for every core
const provider = new PrepProvider(config, { minSeconds: 0.3, minDb: -40 });
const runner = new PrepRunner(provider, { outputDir, mergeFiles: true });

const before = performance.now();
const records = await runner.run(range(config.utterances));
const seconds = (performance.now() - before) / 1000;

const { items } = await runStatus(outputDir);
const hours = records.reduce((sum, record) => sum + record.seconds, 0) / 3600;
console.log(
  `${items.done} utterances in ${seconds.toFixed(1)} s: ${items.written} kept (${hours.toFixed(2)} h), ${items.dropped} dropped`,
);
console.log(`records: ${relative(".", outputDir)}/records.jsonl, for instance`);
console.log(`  ${JSON.stringify(records[0])}`);
console.log("Run it again: what is done is not done again. Kill it half-way: it goes on from there.");
