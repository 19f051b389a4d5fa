// Cleans a JSONL corpus of texts: normalises them, drops what is too short, foreign, or there already, and says why.
import { join } from "node:path";
import { BaseRunner, EnvironmentProvider, isMainModule, jsonlWriter, range, readRecords } from "millrace";
import { readJsonl } from "millrace/formats";
import { makeCorpus } from "./make-corpus.mjs";

export class TextProvider extends EnvironmentProvider {
  static module = import.meta.url;

  /** Once a worker. What depends on more than one text is made here: `firstOf` says where each text stands first. */
  async buildEnvLocal() {
    const { corpus, minWords, maxForeign } = this.config;
    const dataset = [];
    for await (const { id, text } of readJsonl(corpus)) dataset.push({ id, text: normalise(text) });
    const firstOf = new Map(dataset.map(({ text }, idx) => [text, idx]).reverse());
    return { dataset, firstOf, minWords, maxForeign };
  }
}

export class TextRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, env) {
    const { id, text } = env.dataset[idx];
    const reason = whyNot(idx, text, env);
    return reason === undefined ? { id, text } : { id, reason };
  }

  /** Two files a shard: what is kept, and what is not. With `mergeFiles` they are put together in item order. */
  static openWriters(shardDir) {
    return { kept: jsonlWriter(shardDir, "kept.jsonl"), dropped: jsonlWriter(shardDir, "dropped.jsonl") };
  }

  static writeRecord({ kept, dropped }, record) {
    return ("reason" in record ? dropped : kept).write(record);
  }
}

function normalise(text) {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim();
}

function whyNot(idx, text, { dataset, firstOf, minWords, maxForeign }) {
  if (text.split(" ").length < minWords) return "too short";
  const foreign = text.replace(/[\p{Script=Latin}\p{P}\p{N}\s]/gu, "");
  if (foreign.length > maxForeign * text.length) return "not Latin";
  const first = firstOf.get(text);
  return first === idx ? undefined : `the same as ${dataset[first].id}`;
}

if (isMainModule(import.meta.url)) {
  const [outputDir = "exp/text-cleaning", corpus = makeCorpus(join(outputDir, "corpus.jsonl"))] = process.argv.slice(2);
  const provider = new TextProvider({ corpus, minWords: 3, maxForeign: 0.2 });
  const { dataset } = await provider.buildEnvLocal();
  const options = { outputDir: join(outputDir, "run"), mergeFiles: true, parallel: { env: "process", n_workers: 2 } };
  await new TextRunner(provider, options).run(range(dataset.length));

  const reasons = {};
  for (const { reason } of readRecords(join(outputDir, "run", "dropped.jsonl"))) {
    const kind = reason.replace(/ as .*/, "");
    reasons[kind] = (reasons[kind] ?? 0) + 1;
  }
  const kept = [...readRecords(join(outputDir, "run", "kept.jsonl"))];
  console.log(`${dataset.length} texts, ${kept.length} kept; dropped:`, reasons);
}
