import { BaseRunner, EnvironmentProvider, type ItemIndex } from "millrace";
import { loadModel, type Model } from "./model.ts";

interface Data {
  readonly items: number;
  readonly model: string;
}

interface Env {
  readonly dataset: readonly string[];
  readonly model: Model;
}

interface Embedding {
  readonly utt_id: string;
  readonly vector: readonly number[];
}

export class EmbedProvider extends EnvironmentProvider<Env, Data> {
  static readonly module: string = import.meta.url;

  // Once per worker: create what is slow to create here.
  async buildEnvLocal(): Promise<Env> {
    const { items, model } = this.config;
    const dataset = Array.from({ length: items }, (_, i) => `utt-${String(i).padStart(3, "0")}`);
    return { dataset, model: await loadModel(model) };
  }
}

export class EmbedRunner extends BaseRunner<Env, Embedding, object, ItemIndex> {
  static readonly module: string = import.meta.url;

  // One index; with batch_size, an array of them.
  static async forward(idx: ItemIndex, { dataset, model }: Env): Promise<Embedding | Embedding[]> {
    const ids = [idx].flat().map((i) => dataset[i]!);
    const vectors = await model.embed(ids.map((id) => `wavs/${id}.wav`));
    const records = ids.map((utt_id, i) => ({ utt_id, vector: vectors[i]! }));
    return typeof idx === "number" ? records[0]! : records;
  }
}
