// Speaker embeddings: makes a corpus of synthetic voices and extracts one vector per utterance on all cores, durably.
// `node examples/xvector/main.mjs OUTPUT_DIR MANIFEST` does it for a manifest of your own: utt_id, wav_path, text, speaker_id.
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainModule, loadConfig } from "millrace";
import { extractXVectors } from "millrace/recipes";
import { makeCorpus } from "../corpus/make-corpus.mjs";

const configPath = fileURLToPath(new URL("xvector.yaml", import.meta.url));

/** Extracts the embeddings of a corpus into a folder and prints a summary. */
export async function runXVectors(outputDir = "exp/xvector", manifest = makeCorpus(join(outputDir, "corpus"))) {
  const config = await loadConfig(configPath, [
    `xvector.save_path=${JSON.stringify(resolve(outputDir))}`,
    `xvector.manifest_paths.all=${JSON.stringify(resolve(manifest))}`,
  ]);
  const before = performance.now();
  const [summary] = await extractXVectors(config);
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  const { written, failed, dimension, speakers, eer, vectors, index, failures, report } = summary;
  console.log(`${written} embeddings of ${dimension} numbers, ${speakers} speakers, in ${seconds} s`);
  if (failed > 0)
    console.log(`${failed} utterances have none: silent, clipped, too short or damaged; the list of failures says why`);
  if (eer !== undefined)
    console.log(`equal error rate over all pairs: ${(100 * eer.eer).toFixed(1)} % (untrained baseline)`);
  const show = (name, path) => path !== undefined && console.log(`  ${name.padEnd(10)} ${relative(".", path)}`);
  console.log("");
  show("vectors", vectors);
  show("index", index);
  show("failures", failures);
  show("report", report);
  if (report !== undefined) console.log(`\nOpen the report in a browser: ${pathToFileURL(report).href}`);
  console.log("Start it again: finished work is not repeated. Kill it half-way: it continues from there.");
  console.log("On a manifest of your own: npm start -- exp/mine manifest.tsv");
  return summary;
}

if (isMainModule(import.meta)) await runXVectors(...process.argv.slice(2));
