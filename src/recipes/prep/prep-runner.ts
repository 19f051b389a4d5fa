import { type ArrayRecord, arkScpWriter, ndArray, npyScpWriter } from "../../formats.ts";
import { BaseRunner, defineRunner, type ItemIndex, jsonlWriter, type RunnerOptions, type Writer } from "../../index.ts";
import { publishCorpus } from "./outputs/publish-corpus.ts";
import { shardFiles } from "./outputs/shard-files.ts";
import { wavWriter } from "./outputs/wav-writer.ts";
import type { PrepEnv, PrepProvider } from "./prep-provider.ts";
import type { DroppedRecord, KeptRecord, PrepResult } from "./prep-result.ts";
import type { PrepSummary } from "./prep-summary.ts";
import { prepareUtterance } from "./prepare-utterance.ts";

/** Cleans the utterances of a manifest or dataset and computes their features. Items are its rows. */
export class PrepRunner extends BaseRunner<PrepEnv, PrepResult, object, ItemIndex> {
  declare readonly provider: PrepProvider;

  constructor(provider: PrepProvider, options?: RunnerOptions<ItemIndex>) {
    super(provider, options);
  }

  static async forward(idx: ItemIndex, env: PrepEnv): Promise<PrepResult | PrepResult[]> {
    const prepare = async (item: number) => prepareUtterance((await env.dataset.at(item))!, env);
    if (typeof idx === "number") return prepare(idx);
    const results: PrepResult[] = [];
    for (const item of idx) results.push(await prepare(item));
    return results;
  }

  static override openWriters(shardDir: string, { model, featureFormat, writesAudio }: PrepEnv): PrepWriters {
    const feats = featureFormat === "ark" ? arkScpWriter : npyScpWriter;
    return {
      kept: jsonlWriter<KeptRecord>(shardDir, shardFiles.kept),
      dropped: jsonlWriter<DroppedRecord>(shardDir, shardFiles.dropped),
      ...(model === undefined ? {} : { feats: feats(shardDir, { name: shardFiles.feats }) }),
      ...(writesAudio ? { wav: wavWriter(shardDir) } : {}),
    };
  }

  static override async writeRecord(writers: PrepWriters, result: PrepResult): Promise<void> {
    if ("dropped" in result) return writers.dropped.write(result.dropped);
    const { kept, features, wav } = result;
    const id = kept.utt_id;
    await writers.kept.write(kept);
    if (features !== undefined) {
      const { data, rows, columns } = features;
      await writers.feats?.write({ id, array: ndArray("float32", data, [rows, columns]) });
    }
    if (wav !== undefined) await writers.wav?.write({ id, array: wav });
  }

  override merge(shardDirs: string[]): Promise<PrepSummary> {
    const { config } = this.provider;
    return publishCorpus({ shardDirs, runDir: this.runDir, config, utterances: () => this.provider.buildDataset() });
  }
}

defineRunner(import.meta, PrepRunner);

interface PrepWriters {
  readonly kept: Writer<KeptRecord>;
  readonly dropped: Writer<DroppedRecord>;
  readonly feats?: Writer<ArrayRecord>;
  readonly wav?: ReturnType<typeof wavWriter>;
}
