// Statistics of a corpus of synthetic voices, as training needs them: sums for mean and variance, shapes, charts.
import { dirname, join, relative } from "node:path";
import { InferenceProvider, isMainModule } from "millrace";
import { openTsv } from "millrace/datasets";
import { collectStats, writeGlobalCmvn } from "millrace/recipes";
import { fbank, readAudio } from "millrace/speech";
import { makeCorpus } from "../corpus/make-corpus.mjs";

export class FbankProvider extends InferenceProvider {
  static module = import.meta.url;

  /** Rows are read when they are asked for, each with its audio. */
  static async buildDataset({ manifest }) {
    const columns = ["utt_id", "wav_path", "text", "speaker_id"];
    const rows = await openTsv(manifest, { columns, id: "utt_id" });
    return rows.map(async ({ wav_path }) => ({ speech: (await readAudio(join(dirname(manifest), wav_path))).samples }));
  }

  /** A "model" that computes fbank features; your own model can compute others. */
  static buildModel({ bins }) {
    const collectFeats = ({ speech }) => ({ feats: speech.map((samples) => fbank(samples, { numMelBins: bins })) });
    return { collectFeats };
  }

  /** The env holds dataset, model, params, and the function that makes a batch of samples: here lists, without padding. */
  async buildEnvLocal() {
    return { ...(await super.buildEnvLocal()), collateFn: asLists };
  }
}

function asLists(samples) {
  return [samples.map(([id]) => id), { speech: samples.map(([, { speech }]) => speech) }];
}

if (isMainModule(import.meta)) {
  const [outputDir = "exp/collect-stats", manifest = makeCorpus(join(outputDir, "corpus"))] = process.argv.slice(2);
  const { count, sum } = await collectStats({
    provider: new FbankProvider({ manifest, bins: 80 }),
    mode: "train",
    outputDir,
    onError: "skip", // one file of the corpus is broken on purpose
    parallel: { env: "process", n_workers: 2 },
  });
  const cmvn = join(outputDir, "cmvn.npz");
  writeGlobalCmvn(join(outputDir, "train", "feats_stats.npz"), cmvn);
  console.log(
    `${count.feats} frames of ${sum.feats.length} bins; mean of the first: ${(sum.feats[0] / count.feats).toFixed(3)}`,
  );
  console.log(
    `open ${relative(".", join(outputDir, "train", "collect_stats.html"))} in a browser; ${relative(".", cmvn)} is for training`,
  );
}
