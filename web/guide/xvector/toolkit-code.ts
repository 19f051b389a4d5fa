import type { ToolkitName } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { toolkitFacts } from "./toolkit-facts.ts";

/** A provider for a toolkit: what each worker builds once. */
export function providerCode(toolkit: ToolkitName): string {
  return `import { defineProvider, EnvironmentProvider } from "millrace";
import { type Manifest, openSpeakerModel, readManifest, type SpeakerModel, type XVectorConfig } from "millrace/recipes";

export interface Env {
  readonly model: SpeakerModel; // of ${toolkit}
  readonly device: string;
  readonly utterances: Manifest;
}

export class XVectorProvider extends EnvironmentProvider<Env, XVectorConfig, { manifest_path: string }> {
  // Once per worker, and in the worker: no model crosses a process border.
  async buildEnvLocal(): Promise<Env> {
    const utterances = readManifest(this.params.manifest_path);
    return { ...(await openSpeakerModel(this.config.xvector)), utterances };
  }
  override async teardown({ model }: Env): Promise<void> {
    await model.release();
  }
}
defineProvider(import.meta, XVectorProvider);
`;
}

/** A runner for a toolkit: what is done with each utterance. */
export function runnerCode(toolkit: ToolkitName): string {
  const { imports, input } = toolkitFacts[toolkit];
  return `import { BaseRunner, defineRunner } from "millrace";
import { type ArrayRecord, ndArray, ptScpWriter } from "millrace/formats";
import { ${[...imports, "readAudio"].sort().join(", ")} } from "millrace/speech";
import type { Env } from "./xvector-provider.ts";

export class XVectorRunner extends BaseRunner<Env, ArrayRecord> {
  static async forward(idx: number, { model, utterances }: Env) {
    const [id, path] = utterances[idx]!;
    const { samples } = await readAudio(path, { sampleRate: 16_000, channel: "mix" });
    const input = ${input};
    const [vector] = await model.embed([input]);
    return { id, array: ndArray("float32", vector!) };
  }
  // Each vector is a .pt file of its shard; the list xvector.scp names them.
  static override openWriters(shardDir: string) {
    return { records: ptScpWriter(shardDir, { name: "xvector" }) };
  }
}
defineRunner(import.meta, XVectorRunner);
`;
}
