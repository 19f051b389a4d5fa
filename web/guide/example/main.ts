import { loadConfig, type ParallelInput, range } from "millrace";
import { EmbedProvider, EmbedRunner } from "./embed.ts";

interface Config {
  readonly data: { readonly items: number; readonly model: string };
  readonly runner: {
    readonly batch_size: number | null;
    readonly shards: number;
    readonly on_error: "fail" | "skip";
  };
  readonly parallel: ParallelInput;
}

const { data, runner: how, parallel } = await loadConfig<Config>("embed.yaml");
const provider = new EmbedProvider(data);
const runner = new EmbedRunner(provider, {
  outputDir: "exp/embed",
  batchSize: how.batch_size,
  shards: how.shards,
  onError: how.on_error,
  parallel,
  progress: false,
});
const embeddings = await runner.run(range(data.items));
console.log(`${embeddings.length} embeddings`);
