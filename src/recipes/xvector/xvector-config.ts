import { resolve } from "node:path";
import { revisionPattern } from "../../hub/hub-names.ts";
import { checkShape, MillraceError, type Shape, shape } from "../../index.ts";
import { maybe, path } from "../maybe.ts";
import { type DatasetTarget, datasetTarget } from "../utterances/dataset-target.ts";
import { speechColumns } from "../utterances/open-speech-rows.ts";
import type { SpeechColumns } from "../utterances/speech-row.ts";
import { type ToolkitName, toolkitNames } from "./toolkits/toolkit-names.ts";

const digest = shape.string({ pattern: /^[0-9a-f]{64}$/i, expected: "a SHA-256 of 64 hexadecimal digits" });
const positive = shape.int({ min: 1 });

/** Whether vectors are normalised with statistics that the checkpoint brings. */
export function isNormalisedByToolkit({ model }: XVectorSection): boolean {
  return model?.normalize === "mean_var_norm_emb";
}

/**
 * The `model:` section: overrides of the toolkit's convention, key by key; with `toolkit: onnx` the whole convention.
 */
export interface ModelSection {
  /** The model's input: the samples, or features of them. */
  readonly input?: "waveform" | "features" | null | undefined;
  /** Audio is resampled to this rate. */
  readonly sample_rate?: number | null | undefined;
  /** Factor for samples at full scale 1. */
  readonly sample_scale?: number | null | undefined;
  /** The kind of features: Kaldi's, librosa's or SpeechBrain's. */
  readonly frontend?: "fbank" | "mfcc" | "log_mel" | "mel_mfcc" | "speechbrain_fbank" | null | undefined;
  /** Options of that front end, by the names of its toolkit. */
  readonly frontend_options?: Readonly<Record<string, unknown>> | null | undefined;
  /** Normalisation of the features of an utterance: by its mean, and by its deviation. */
  readonly cmvn?: "none" | "mean" | "mean_var" | null | undefined;
  /** [batch, time, feature] or [batch, feature, time]; `auto` uses the model's dimensions. */
  readonly layout?: "auto" | "time_major" | "feature_major" | null | undefined;
  /** The second input: frames or samples, or their ratio to the longest. */
  readonly lengths?: "auto" | "none" | "count" | "ratio" | null | undefined;
  /** The input of the model, if it is not the first one. */
  readonly input_name?: string | null | undefined;
  /** The output of the model with the vector, if it is not the first one. */
  readonly output_name?: string | null | undefined;
  /** Shorter audio fails: the model cannot process it. */
  readonly min_frames?: number | null | undefined;
  /** Windows whose vectors are averaged, in frames (samples for waveform input). */
  readonly windows?:
    | { readonly length: number; readonly step: number }
    | { readonly length: number; readonly count: number }
    | null
    | undefined;
  /** Whether vectors are scaled to length 1, or normalised by a SpeechBrain checkpoint's `mean_var_norm_emb`. */
  readonly normalize?: "none" | "l2" | "mean_var_norm_emb" | null | undefined;
}

const modelSection: Shape<ModelSection> = shape.object({
  input: maybe(shape.oneOf(["waveform", "features"])),
  sample_rate: maybe(shape.int({ min: 1000, max: 1_000_000 })),
  sample_scale: maybe(shape.number()),
  frontend: maybe(shape.oneOf(["fbank", "mfcc", "log_mel", "mel_mfcc", "speechbrain_fbank"])),
  frontend_options: maybe(shape.map(shape.any())),
  cmvn: maybe(shape.oneOf(["none", "mean", "mean_var"])),
  layout: maybe(shape.oneOf(["auto", "time_major", "feature_major"])),
  lengths: maybe(shape.oneOf(["auto", "none", "count", "ratio"])),
  input_name: maybe(shape.string()),
  output_name: maybe(shape.string()),
  min_frames: maybe(positive),
  windows: maybe(
    shape.union(
      shape.object({ length: positive, step: positive }),
      shape.object({ length: positive, count: positive }),
    ),
  ),
  normalize: maybe(shape.oneOf(["none", "l2", "mean_var_norm_emb"])),
});

/** The `xvector:` section: the keys of ESPnet3, then those of this recipe. */
export interface XVectorSection {
  /** Default: `espnet`, as in ESPnet3. */
  readonly toolkit?: ToolkitName | null | undefined;
  /** An ONNX file, a folder with one, or the name of a model on the Hugging Face hub. */
  readonly pretrained_model?: string | null | undefined;
  /** `cpu`, `cuda` or `cuda:N`. Default, and `null`: the first GPU where ONNX Runtime can use one, otherwise the CPU. */
  readonly device?: string | null | undefined;
  /** The folder below `save_path`. Default: `spk_embed`. */
  readonly spk_embed_tag?: string | null | undefined;
  /** The folder of vectors, lists and the report. */
  readonly save_path: string;
  /** Utterances per call of `forward`. Default: one, not as an array. */
  readonly batch_size?: number | null | undefined;
  /**
   * The manifest of each split, or a section that opens a dataset: `{ _target_: millrace/datasets#openKaldi, path: data/train }`.
   * A split without one: `data/manifest/SPLIT.tsv`.
   */
  readonly manifest_paths?: Readonly<Record<string, string | DatasetTarget>> | null | undefined;
  /** The columns of datasets that are not called `utt_id`, `wav_path` and `speaker_id`. */
  readonly columns?: SpeechColumns | null | undefined;
  /** One split or several. Default: all with a manifest; without `manifest_paths` train, valid and test. */
  readonly splits?: string | readonly string[] | null | undefined;
  /** Leaves the work to jobs or to a process in the background, and returns at once. Default: false. */
  readonly async_mode?: boolean | null | undefined;
  /** `pt` (default) or `npy`: a file each; `npz`, `ark` (with scp), `safetensors` or `parquet`: one per split. */
  readonly output_format?: string | null | undefined;
  /** The mean of each speaker's vectors. Default: true. */
  readonly spk_mean?: boolean | null | undefined;
  /** The report with its charts. Default: true. */
  readonly report?: boolean | null | undefined;
  /** Limits batches by seconds of audio too, estimated from file sizes. */
  readonly batch_seconds?: number | null | undefined;
  /** Runs the utterances of one batch through the model together. Default: only on a GPU. */
  readonly stack?: boolean | null | undefined;
  /** Threads of ONNX Runtime in a worker. Default: 1. */
  readonly threads?: number | null | undefined;
  /** `mix` (default) or the number of a channel, from 0. */
  readonly channel?: "mix" | number | null | undefined;
  /** Shorter audio fails. Default: 0.25. */
  readonly min_seconds?: number | null | undefined;
  /** A longer file fails. Default: that of `readAudio`, so that a small file cannot fill the memory. */
  readonly max_seconds?: number | null | undefined;
  /** Audio with a peak below this fails. Default: -70. */
  readonly silence_db?: number | null | undefined;
  /** A larger fraction of samples at full scale fails. Default: 1, so none. */
  readonly max_clipped?: number | null | undefined;
  /** The model's input: overrides of the toolkit's convention, key by key. */
  readonly model?: ModelSection | null | undefined;
  /** The file in the model's folder or repository. Default: its only ONNX file. */
  readonly model_file?: string | null | undefined;
  /** The revision of the repository on the hub. Default: `main`. */
  readonly revision?: string | null | undefined;
  /** The required SHA-256 of the model file. */
  readonly sha256?: string | null | undefined;
}

const xvectorSection: Shape<XVectorSection> = shape.object({
  toolkit: maybe(shape.oneOf(toolkitNames)),
  pretrained_model: maybe(path),
  device: maybe(shape.string({ pattern: /^(?:cpu|cuda(?::\d+)?)$/, expected: "cpu, cuda or cuda:N" })),
  spk_embed_tag: maybe(shape.string()),
  save_path: path,
  batch_size: maybe(positive),
  manifest_paths: maybe(shape.map(shape.union(path, datasetTarget))),
  columns: maybe(speechColumns),
  splits: maybe(shape.union(shape.string(), shape.list(shape.string(), { min: 1 }))),
  async_mode: maybe(shape.boolean()),
  output_format: maybe(shape.string()),
  spk_mean: maybe(shape.boolean()),
  report: maybe(shape.boolean()),
  batch_seconds: maybe(shape.number({ min: 0 })),
  stack: maybe(shape.boolean()),
  threads: maybe(positive),
  channel: maybe(shape.union(shape.oneOf(["mix"]), shape.int({ min: 0 }))),
  min_seconds: maybe(shape.number({ min: 0 })),
  max_seconds: maybe(shape.number({ min: 0.001 })),
  silence_db: maybe(shape.number({ max: 0 })),
  max_clipped: maybe(shape.number({ min: 0, max: 1 })),
  model: maybe(modelSection),
  model_file: maybe(path),
  revision: maybe(shape.string({ pattern: revisionPattern, expected: "a branch, a tag or a commit" })),
  sha256: maybe(digest),
});

/** A config with an `xvector:` section; its other sections are not read here. */
export interface XVectorConfig {
  readonly xvector: XVectorSection;
}

const configShape: Shape<XVectorConfig> = shape.object({ xvector: xvectorSection }, { others: shape.any() });

// Folders beside those of the splits.
const taken = ["spk_mean", "index", "report", "runs"];

/** Checks the `xvector:` section. */
export function checkXVectorConfig(config: unknown): XVectorSection {
  const { xvector } = checkShape(config, configShape);
  for (const split of splitsOf(xvector)) {
    if (taken.includes(split) || !isPlainName(split))
      throw badConfig(`${JSON.stringify(split)} cannot be the name of a split`, {
        hint: `It becomes a folder: letters, digits, ., _ and -, and none of ${taken.join(", ")}.`,
      });
  }
  const tag = tagOf(xvector);
  if (!isPlainName(tag))
    throw badConfig(`xvector.spk_embed_tag is ${JSON.stringify(tag)}`, {
      hint: "It becomes a folder: letters, digits, ., _ and -.",
    });
  return xvector;
}

/** The splits to process: those named, or all with a manifest, or those that ESPnet3's recipes have. */
export function splitsOf({ splits, manifest_paths }: XVectorSection): readonly string[] {
  if (typeof splits === "string") return [splits];
  return [...new Set(splits ?? (manifest_paths == null ? ["train", "valid", "test"] : Object.keys(manifest_paths)))];
}

/** The path of a split's manifest, or its dataset: as the config says, or where ESPnet3's recipes have it. */
export function manifestOf({ manifest_paths }: XVectorSection, split: string): string | DatasetTarget {
  const given = manifest_paths != null && Object.hasOwn(manifest_paths, split) ? manifest_paths[split] : undefined;
  return typeof given === "object" ? given : resolve(given ?? `data/manifest/${split}.tsv`);
}

/** The name of the folder below `save_path`. */
export function tagOf({ spk_embed_tag }: XVectorSection): string {
  return spk_embed_tag ?? "spk_embed";
}

function isPlainName(name: string): boolean {
  return /^[\w-][\w.-]*$/.test(name) && !name.endsWith(".");
}

function badConfig(message: string, details: { readonly hint: string }): MillraceError {
  return new MillraceError("BAD_CONFIG", `${message}.`, details);
}
