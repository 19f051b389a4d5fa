// Cleans a JSONL corpus of texts: normalises them, drops short, foreign and repeated ones, and says why.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { defineRun, isMainModule, jsonlWriter, readRecords } from "millrace";
import { openJsonl } from "millrace/datasets";
import { makeCorpus } from "./make-corpus.mjs";

export const cleaning = defineRun(import.meta, {
  // Once in every worker. The texts stay in their file; to find duplicates, `firstOf` holds the first index of each digest.
  env: async ({ corpus, minWords, maxForeign }) => {
    const dataset = await openTexts(corpus);
    const firstOf = new Map();
    let idx = 0;
    for await (const { text } of dataset) {
      const key = digestOf(text);
      if (!firstOf.has(key)) firstOf.set(key, idx);
      idx++;
    }
    return { dataset, firstOf, minWords, maxForeign };
  },
  forward: (idx, env) => {
    const { id, text } = env.dataset.at(idx);
    const reason = whyDropped(idx, text, env);
    return reason === undefined ? { id, text } : { id, reason };
  },
  // Two files in each shard. With `mergeFiles` each becomes one file, in item order.
  writers: (shardDir) => ({
    kept: jsonlWriter(shardDir, "kept.jsonl"),
    dropped: jsonlWriter(shardDir, "dropped.jsonl"),
  }),
  write: ({ kept, dropped }, record) => ("reason" in record ? dropped : kept).write(record),
});

async function openTexts(corpus) {
  const rows = await openJsonl(corpus, { id: "id" });
  return rows.map(({ id, text }) => ({ id, text: normalise(text) }));
}

function digestOf(text) {
  return createHash("sha256").update(text).digest("base64");
}

function normalise(text) {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim();
}

function whyDropped(idx, text, { dataset, firstOf, minWords, maxForeign }) {
  if (text.split(" ").length < minWords) return "too short";
  const foreign = text.replace(/[\p{Script=Latin}\p{P}\p{N}\s]/gu, "");
  if (foreign.length > maxForeign * text.length) return "not Latin";
  const first = firstOf.get(digestOf(text));
  return first === idx ? undefined : `the same as ${dataset.id(first)}`;
}

if (isMainModule(import.meta)) {
  const [outputDir = "exp/text-cleaning", corpus = makeCorpus(join(outputDir, "corpus.jsonl"))] = process.argv.slice(2);
  const texts = await openTexts(corpus);
  const runDir = join(outputDir, "run");
  await cleaning.run(texts, {
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
  await texts.close();
}
