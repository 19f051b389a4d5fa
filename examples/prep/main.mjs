// Data preparation with cleaning: makes a corpus of synthetic voices, then prepares it, durably. Kill it at any moment and start
// it again: it continues where it was. `node examples/prep/main.mjs OUTPUT_DIR MANIFEST` prepares a corpus of your own.
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainModule, loadConfig } from "millrace";
import { formatDropTable, prepareData } from "millrace/recipes";
import { makeCorpus } from "../corpus/make-corpus.mjs";

const configPath = fileURLToPath(new URL("prep.yaml", import.meta.url));

/** Prepares a corpus into a folder and prints a summary. */
export async function runPrep(outputDir = "exp/prep", manifest = makeCorpus(join(outputDir, "corpus"))) {
  const config = await loadConfig(configPath, [
    `prep.manifest=${JSON.stringify(resolve(manifest))}`,
    `prep.output_dir=${JSON.stringify(resolve(outputDir))}`,
  ]);
  const before = performance.now();
  const summary = await prepareData(config);
  const seconds = (performance.now() - before) / 1000;
  const { utterances, kept, dropped, kaldiDir, kaldiProblems, datasetDir } = summary;
  const minutes = summary.seconds.kept / 60;
  console.log(
    `${utterances} utterances in ${seconds.toFixed(1)} s: ${kept} kept (${minutes.toFixed(1)} min), ${dropped} dropped\n`,
  );
  console.log(`${formatDropTable(summary)}\n`);
  for (const { file, line, message } of kaldiProblems) console.log(`${kaldiDir}/${file}:${line}: ${message}`);
  const show = (name, path) => console.log(`${name.padEnd(13)} ${relative(".", path) || "."}`);
  show("manifest", summary.manifest);
  show("dropped", summary.droppedList);
  show("Kaldi folder", kaldiDir);
  show("dataset", datasetDir);
  console.log("\nRun it again: finished work is not repeated. Kill it half-way: it continues from there.");
  return summary;
}

if (isMainModule(import.meta)) await runPrep(...process.argv.slice(2));
