import { isDataset } from "../../datasets.ts";
import { type Awaitable, EnvironmentProvider, MillraceError } from "../../index.ts";
import { nameOfTarget } from "../utterances/dataset-target.ts";
import { type Cleaner, makeCleaner } from "./clean/make-cleaner.ts";
import { type Extractor, makeExtractor } from "./make-extractor.ts";
import { openUtterances } from "./open-utterances.ts";
import { checkPrepConfig, type PrepConfig } from "./prep-config.ts";
import { digestOf, readUtterances } from "./read-utterances.ts";
import { sampleRateOf } from "./sections/audio-section.ts";
import type { Utterances } from "./utterance.ts";

/** The params of the provider. */
export interface PrepParams {
  /** The digest of the manifest when the run was created; a worker that finds another one stops. */
  readonly manifest_digest?: string;
  /** Of a dataset: whether ids get the speaker as a prefix, so that a worker need not read all rows to know. */
  readonly speaker_prefix?: boolean;
  /** The folder that the `_target_` of a dataset is resolved against. Default: the current one. */
  readonly project_root?: string;
}

/** The env of `PrepRunner.forward`. */
export interface PrepEnv {
  readonly dataset: Utterances;
  /** Computes features; undefined if none are requested. */
  readonly model: Extractor | undefined;
  readonly cleaner: Cleaner;
  readonly sampleRate: number;
  readonly channel: "mix" | number;
  /** A longer file counts as unreadable. Default: that of `readAudio`. */
  readonly maxSeconds?: number;
  readonly writesAudio: boolean;
  readonly featureFormat: "ark" | "npy";
}

/** Builds manifest, cleaner and features once per worker. A subclass may override the builders. */
export class PrepProvider extends EnvironmentProvider<PrepEnv, PrepConfig, PrepParams> {
  static readonly module: string = import.meta.url;

  static buildDataset(config: PrepConfig, params: PrepParams = {}): Awaitable<Utterances> {
    const section = checkPrepConfig(config);
    const { manifest } = section;
    if (typeof manifest === "string") return readUtterances({ ...section, manifest });
    const { project_root: projectRoot = process.cwd(), speaker_prefix: hasPrefix } = params;
    return openUtterances({ ...section, manifest }, { projectRoot, hasPrefix });
  }

  static buildModel(config: PrepConfig): Extractor | undefined {
    return makeExtractor(checkPrepConfig(config));
  }

  static buildCleaner(config: PrepConfig): Cleaner {
    return makeCleaner(checkPrepConfig(config));
  }

  /** The utterances of the manifest, by the builder of this class or of a subclass. */
  buildDataset(): Awaitable<Utterances> {
    return this.builders.buildDataset(this.config, this.params);
  }

  private get builders(): typeof PrepProvider {
    return this.constructor as typeof PrepProvider;
  }

  async buildEnvLocal(): Promise<PrepEnv> {
    const { audio, features } = checkPrepConfig(this.config);
    const { builders } = this;
    return {
      dataset: await this.unchanged(await this.buildDataset()),
      model: builders.buildModel(this.config),
      cleaner: builders.buildCleaner(this.config),
      sampleRate: sampleRateOf(audio),
      channel: audio?.channel ?? "mix",
      ...(audio?.max_seconds == null ? {} : { maxSeconds: audio.max_seconds }),
      writesAudio: audio?.write ?? false,
      featureFormat: features?.format ?? "ark",
    };
  }

  override async teardown({ dataset }: PrepEnv): Promise<void> {
    if (isDataset(dataset)) await dataset.close();
  }

  private async unchanged(dataset: Utterances): Promise<Utterances> {
    const { manifest_digest } = this.params;
    if (manifest_digest === undefined || manifest_digest === (await digestOf(dataset))) return dataset;
    const { manifest } = this.config.prep;
    const name = typeof manifest === "string" ? manifest : nameOfTarget(manifest);
    throw new MillraceError("RUN_CHANGED", `${name} has changed since the run was begun.`, {
      hint: "Rows are known by their number: put the file back, or start over with resume: false.",
    });
  }
}
