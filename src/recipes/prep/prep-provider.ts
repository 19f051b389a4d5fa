import { EnvironmentProvider, MillraceError } from "../../index.ts";
import { type Cleaner, makeCleaner } from "./clean/make-cleaner.ts";
import { type Extractor, makeExtractor } from "./make-extractor.ts";
import { checkPrepConfig, type PrepConfig } from "./prep-config.ts";
import { digestOf, readUtterances } from "./read-utterances.ts";
import { sampleRateOf } from "./sections/audio-section.ts";
import type { Utterance } from "./utterance.ts";

/** What is told to a provider beside the config. */
export interface PrepParams {
  /** What the manifest was when the run was begun; a worker that finds another one does not go on. */
  readonly manifest_digest?: string;
}

/** What `PrepRunner.forward` works with. */
export interface PrepEnv {
  readonly dataset: readonly Utterance[];
  /** Computes features; undefined where none are asked for. */
  readonly model: Extractor | undefined;
  readonly cleaner: Cleaner;
  readonly sampleRate: number;
  readonly channel: "mix" | number;
  readonly writesAudio: boolean;
  readonly featureFormat: "ark" | "npy";
}

/** Builds manifest, cleaner and features once per worker. A subclass may bring builders of its own. */
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

  buildEnvLocal(): PrepEnv {
    const { audio, features } = checkPrepConfig(this.config);
    const builders = this.constructor as typeof PrepProvider;
    return {
      dataset: this.unchanged(builders.buildDataset(this.config)),
      model: builders.buildModel(this.config),
      cleaner: builders.buildCleaner(this.config),
      sampleRate: sampleRateOf(audio),
      channel: audio?.channel ?? "mix",
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
