// Features of a corpus in one file, and the run that collects their statistics. Run as a program, it prints its peak
// memory in megabytes: node stats-corpus.mjs CORPUS LENGTHS UTTERANCES OUTPUT.
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { InferenceProvider, isMainModule, range } from "millrace";
import { collectStats } from "millrace/recipes";

const columns = 80;
const batchSize = 4;

/** Writes about `bytes` of features and the lengths of the utterances. Returns the number of utterances. */
export function writeCorpus(corpus, lengths, bytes) {
  const fd = openSync(corpus, "w");
  const rows = [];
  let state = 1;
  const block = Float32Array.from({ length: 1000 * columns }, (_, i) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 5 + Math.sin(i % columns) + state / 2 ** 32;
  });
  for (let written = 0; written < bytes; ) {
    const length = 200 + ((rows.length * 7919) % 800);
    written += writeSync(fd, new Uint8Array(block.buffer, 0, length * columns * 4));
    rows.push(length);
  }
  closeSync(fd);
  writeFileSync(lengths, new Uint8Array(Uint32Array.from(rows).buffer));
  return rows.length;
}

export class CorpusProvider extends InferenceProvider {
  static module = import.meta.url;

  static buildDataset({ corpus, lengths }) {
    const rows = new Uint32Array(new Uint8Array(readFileSync(lengths)).buffer);
    const offsets = new Float64Array(rows.length + 1);
    for (const [i, length] of rows.entries()) offsets[i + 1] = offsets[i] + length * columns * 4;
    const fd = openSync(corpus, "r");
    // Buffers are reused in turn, as NumPy reuses memory: a batch is finished before its buffer is reused.
    const longest = rows.reduce((most, length) => Math.max(most, length), 0);
    const buffers = Array.from({ length: 2 * batchSize }, () => new Float32Array(longest * columns));
    return {
      length: rows.length,
      get(index) {
        const data = buffers[index % buffers.length].subarray(0, rows[index] * columns);
        readSync(fd, new Uint8Array(data.buffer, 0, data.byteLength), 0, data.byteLength, offsets[index]);
        return [`utt-${index}`, { data, rows: rows[index], columns }];
      },
    };
  }

  static buildModel() {
    return { collectFeats: ({ feats }) => ({ feats }) };
  }
}

/**
 * As many shards per gigabyte as a run of ten gigabytes has by default: a shard costs a millisecond, however small it
 * is.
 */
export function collect(corpus, lengths, { outputDir, utterances }) {
  const collateFn = (samples) => [samples.map(([uid]) => uid), { feats: samples.map(([, matrix]) => matrix) }];
  return collectStats({
    provider: new CorpusProvider({ corpus, lengths }, { collateFn }),
    outputDir,
    mode: "train",
    shards: Math.max(4, Math.ceil(utterances / 425)),
    batchSize,
    items: range(utterances),
    progress: false,
    parallel: { env: "local" },
  });
}

if (isMainModule(import.meta.url)) {
  const [corpus, lengths, utterances, outputDir] = process.argv.slice(2);
  await collect(corpus, lengths, { outputDir, utterances: Number(utterances) });
  console.log(process.resourceUsage().maxRSS / 1024);
}
