import { EnvironmentProvider, MillraceError } from "../../index.ts";
import { type Cleaner, makeCleaner } from "./clean/make-cleaner.ts";
import { type Extractor, makeExtractor } from "./make-extractor.ts";
import { checkPrepConfig, type PrepConfig } from "./prep-config.ts";
import { digestOf, readUtterances } from "./read-utterances.ts";
import { sampleRateOf } from "./sections/audio-section.ts";
import type { Utterance } from "./utterance.ts";

/** The params of the provider. */
export interface PrepParams {
  /** The digest of the manifest when the run was created; a worker that finds another one stops. */
  readonly manifest_digest?: string;
}

/** The env of `PrepRunner.forward`. */
export interface PrepEnv {
  readonly dataset: readonly Utterance[];
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

  static buildDataset(config: PrepConfig): readonly Utterance[] {
    return readUtterances(checkPrepConfig(config));
  }

  static buildModel(config: PrepConfig): Extractor | undefined {
    return makeExtractor(checkPrepConfig(config));
  }

  static buildCleaner(config: PrepConfig): Cleaner {
    return makeCleaner(checkPrepConfig(config));
  }

  /** The utterances of the manifest, by the builder of this class or of a subclass. */
  buildDataset(): readonly Utterance[] {
    return this.builders.buildDataset(this.config);
  }

  private get builders(): typeof PrepProvider {
    return this.constructor as typeof PrepProvider;
  }

  buildEnvLocal(): PrepEnv {
    const { audio, features } = checkPrepConfig(this.config);
    const { builders } = this;
    return {
      dataset: this.unchanged(this.buildDataset()),
      model: builders.buildModel(this.config),
      cleaner: builders.buildCleaner(this.config),
      sampleRate: sampleRateOf(audio),
      channel: audio?.channel ?? "mix",
      ...(audio?.max_seconds == null ? {} : { maxSeconds: audio.max_seconds }),
      writesAudio: audio?.write ?? false,
      featureFormat: features?.format ?? "ark",
    };
  }

  private unchanged(dataset: readonly Utterance[]): readonly Utterance[] {
    const { manifest_digest } = this.params;
    if (manifest_digest === undefined || manifest_digest === digestOf(dataset)) return dataset;
    throw new MillraceError("RUN_CHANGED", `${this.config.prep.manifest} has changed since the run was begun.`, {
      hint: "Rows are known by their number: put the file back, or start over with resume: false.",
    });
  }
}
