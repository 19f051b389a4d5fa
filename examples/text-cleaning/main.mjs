// Cleans a JSONL corpus of texts: normalises them, drops short, foreign and repeated ones, and says why.
import { join } from "node:path";
import { defineRun, isMainModule, jsonlWriter, range, readRecords } from "millrace";
import { readJsonl } from "millrace/formats";
import { makeCorpus } from "./make-corpus.mjs";

export const cleaning = defineRun(import.meta, {
  // Once in every worker. To find duplicates, each worker needs all texts: `firstOf` holds the first index of each.
  env: async ({ corpus, minWords, maxForeign }) => {
    const dataset = await readTexts(corpus);
    const firstOf = new Map(dataset.map(({ text }, idx) => [text, idx]).reverse());
    return { dataset, firstOf, minWords, maxForeign };
  },
  forward: (idx, env) => {
    const { id, text } = env.dataset[idx];
    const reason = whyDropped(idx, env);
    return reason === undefined ? { id, text } : { id, reason };
  },
  // Two files in each shard. With `mergeFiles` each becomes one file, in item order.
  writers: (shardDir) => ({
    kept: jsonlWriter(shardDir, "kept.jsonl"),
    dropped: jsonlWriter(shardDir, "dropped.jsonl"),
  }),
  write: ({ kept, dropped }, record) => ("reason" in record ? dropped : kept).write(record),
});

async function readTexts(corpus) {
  const texts = [];
  for await (const { id, text } of readJsonl(corpus)) texts.push({ id, text: normalise(text) });
  return texts;
}

function normalise(text) {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim();
}

function whyDropped(idx, { dataset, firstOf, minWords, maxForeign }) {
  const { text } = dataset[idx];
  if (text.split(" ").length < minWords) return "too short";
  const foreign = text.replace(/[\p{Script=Latin}\p{P}\p{N}\s]/gu, "");
  if (foreign.length > maxForeign * text.length) return "not Latin";
  const first = firstOf.get(text);
  return first === idx ? undefined : `the same as ${dataset[first].id}`;
}

if (isMainModule(import.meta)) {
  const [outputDir = "exp/text-cleaning", corpus = makeCorpus(join(outputDir, "corpus.jsonl"))] = process.argv.slice(2);
  const texts = await readTexts(corpus);
  const runDir = join(outputDir, "run");
  await cleaning.run(range(texts.length), {
    config: { corpus, minWords: 3, maxForeign: 0.2 },
    outputDir: runDir,
    mergeFiles: true,
    parallel: { env: "process", n_workers: 2 },
  });

  const reasons = {};
  for (const { reason } of readRecords(join(runDir, "dropped.jsonl"))) {
    const kind = reason.replace(/ as .*/, "");
    reasons[kind] = (reasons[kind] ?? 0) + 1;
  }
  const kept = [...readRecords(join(runDir, "kept.jsonl"))];
  console.log(`${texts.length} texts, ${kept.length} kept; dropped:`, reasons);
}
