import { checkShape, type Shape, shape } from "../../index.ts";
import { maybe, path } from "../maybe.ts";
import { type AudioSection, audioSection } from "./sections/audio-section.ts";
import { type DatasetSection, datasetSection } from "./sections/dataset-section.ts";
import { type DropSection, dropSection } from "./sections/drop-section.ts";
import { type FeaturesSection, featuresSection } from "./sections/features-section.ts";
import { type KaldiSection, kaldiSection } from "./sections/kaldi-section.ts";
import { type TextSection, textSection } from "./sections/text-section.ts";

/** The `prep:` section: the manifest, the output folder, and the steps between. */
export interface PrepSection {
  /** `utt_id TAB wav_path TAB text TAB speaker_id`; paths are relative to its folder. */
  readonly manifest: string;
  /** The folder of the run and all its outputs. */
  readonly output_dir: string;
  readonly audio?: AudioSection | null | undefined;
  readonly text?: TextSection | null | undefined;
  readonly drop?: DropSection | null | undefined;
  readonly features?: FeaturesSection | null | undefined;
  readonly kaldi?: KaldiSection | null | undefined;
  readonly dataset?: DatasetSection | null | undefined;
}

/** A config with a `prep:` section; its other sections are not read here. */
export interface PrepConfig {
  readonly prep: PrepSection;
}

const prepSection: Shape<PrepSection> = shape.object({
  manifest: path,
  output_dir: path,
  audio: maybe(audioSection),
  text: maybe(textSection),
  drop: maybe(dropSection),
  features: maybe(featuresSection),
  kaldi: maybe(kaldiSection),
  dataset: maybe(datasetSection),
});

const configShape: Shape<PrepConfig> = shape.object({ prep: prepSection }, { others: shape.any() });

/** Checks the `prep:` section. */
export function checkPrepConfig(config: unknown): PrepSection {
  return checkShape(config, configShape).prep;
}
