import { checkShape, type Shape, shape } from "../../index.ts";
import { maybe, path } from "../maybe.ts";
import { type DatasetTarget, datasetTarget } from "../utterances/dataset-target.ts";
import { speechColumns } from "../utterances/open-speech-rows.ts";
import type { SpeechColumns } from "../utterances/speech-row.ts";
import { type AudioSection, audioSection } from "./sections/audio-section.ts";
import { type DatasetSection, datasetSection } from "./sections/dataset-section.ts";
import { type DropSection, dropSection } from "./sections/drop-section.ts";
import { type FeaturesSection, featuresSection } from "./sections/features-section.ts";
import { type KaldiSection, kaldiSection } from "./sections/kaldi-section.ts";
import { type TextSection, textSection } from "./sections/text-section.ts";

/** The `prep:` section: the manifest, the output folder, and the steps between. */
export interface PrepSection {
  /**
   * A table `utt_id TAB wav_path TAB text TAB speaker_id`, with paths relative to its folder; or a section that opens a
   * dataset: `{ _target_: millrace/datasets#openKaldi, path: data/train }`.
   */
  readonly manifest: string | DatasetTarget;
  /** The columns of a dataset that are not called `utt_id`, `wav_path`, `text` and `speaker_id`. */
  readonly columns?: SpeechColumns | null | undefined;
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
  manifest: shape.union(path, datasetTarget),
  columns: maybe(speechColumns),
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
