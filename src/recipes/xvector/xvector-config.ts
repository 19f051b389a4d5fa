import { checkShape, MillraceError, type Shape, shape } from "../../index.ts";
import { maybe, path } from "../maybe.ts";
import { type ToolkitName, toolkitNames } from "./toolkits/toolkit-names.ts";

const digest = shape.string({ pattern: /^[0-9a-f]{64}$/i, expected: "a SHA-256 of 64 hexadecimal digits" });
const positive = shape.int({ min: 1 });

/** The `model:` section: what a toolkit says of its models, changed key by key; all of it with `toolkit: onnx`. */
export interface ModelSection {
  /** What goes into the model: the samples themselves, or features of them. */
  readonly input?: "waveform" | "features" | null | undefined;
  /** Audio of another rate is resampled to it. */
  readonly sample_rate?: number | null | undefined;
  /** What samples at full scale 1 are multiplied by. */
  readonly sample_scale?: number | null | undefined;
  /** Which features, and whose: Kaldi's, librosa's or SpeechBrain's. */
  readonly frontend?: "fbank" | "mfcc" | "log_mel" | "mel_mfcc" | "speechbrain_fbank" | null | undefined;
  /** Options of that front end, by the names of its toolkit. */
  readonly frontend_options?: Readonly<Record<string, unknown>> | null | undefined;
  /** What is taken from the features of an utterance: its mean, and divided by its deviation. */
  readonly cmvn?: "none" | "mean" | "mean_var" | null | undefined;
  /** [batch, time, feature] or [batch, feature, time]; `auto` looks at the model. */
  readonly layout?: "auto" | "time_major" | "feature_major" | null | undefined;
  /** What a second input gets: frames or samples, or their share of the longest. */
  readonly lengths?: "auto" | "none" | "count" | "ratio" | null | undefined;
  /** The input of the model, where its first one is not meant. */
  readonly input_name?: string | null | undefined;
  /** The output of the model that holds the vector, where its first one does not. */
  readonly output_name?: string | null | undefined;
  /** Less than that fails: the model cannot take it. */
  readonly min_frames?: number | null | undefined;
  /** Pieces whose vectors are averaged, in frames (samples, where the waveform goes in). */
  readonly windows?:
    | { readonly length: number; readonly step: number }
    | { readonly length: number; readonly count: number }
    | null
    | undefined;
  /** Whether vectors are scaled to length 1. */
  readonly normalize?: "none" | "l2" | null | undefined;
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
  normalize: maybe(shape.oneOf(["none", "l2"])),
});

/** The `xvector:` section: the keys of ESPnet3, then those of this recipe. */
export interface XVectorSection {
  /** Default: `espnet`, as there. */
  readonly toolkit?: ToolkitName | null | undefined;
  /** An ONNX file, a folder with one, or the name of a model on the Hugging Face hub. */
  readonly pretrained_model?: string | null | undefined;
  /** `cpu` (default), `cuda` or `cuda:N`. */
  readonly device?: string | null | undefined;
  /** The folder below `save_path`. Default: `spk_embed`. */
  readonly spk_embed_tag?: string | null | undefined;
  /** Where vectors, lists and the report go. */
  readonly save_path: string;
  /** Utterances per call of `forward`. Default: one, without an array around it. */
  readonly batch_size?: number | null | undefined;
  /** The manifest of each split. */
  readonly manifest_paths: Readonly<Record<string, string>>;
  /** Default: all that have a manifest. */
  readonly splits?: readonly string[] | null | undefined;
  /** `pt` (default) or `npy`: a file each; `npz`, `ark` (with scp), `safetensors` or `parquet`: one a split. */
  readonly output_format?: string | null | undefined;
  /** The mean of each speaker's vectors. Default: true. */
  readonly spk_mean?: boolean | null | undefined;
  /** The report with its drawings. Default: true. */
  readonly report?: boolean | null | undefined;
  /** Cuts batches by seconds of audio too, estimated from the sizes of files. */
  readonly batch_seconds?: number | null | undefined;
  /** Utterances of one batch go through the model together. Default: on a GPU only. */
  readonly stack?: boolean | null | undefined;
  /** Threads of ONNX Runtime in a worker. Default: 1. */
  readonly threads?: number | null | undefined;
  /** `mix` (default) or the number of a channel, from 0. */
  readonly channel?: "mix" | number | null | undefined;
  /** Less audio than that fails. Default: 0.25. */
  readonly min_seconds?: number | null | undefined;
  /** Audio that stays below it fails. Default: -70. */
  readonly silence_db?: number | null | undefined;
  /** A larger share of samples at full scale fails. Default: 1, so none. */
  readonly max_clipped?: number | null | undefined;
  /** How the model wants its input: what the toolkit says of it, changed key by key. */
  readonly model?: ModelSection | null | undefined;
  /** The file in the model's folder or repository. Default: its only ONNX file. */
  readonly model_file?: string | null | undefined;
  /** Of the repository on the hub. Default: `main`. */
  readonly revision?: string | null | undefined;
  /** What the model's file must have. */
  readonly sha256?: string | null | undefined;
}

const xvectorSection: Shape<XVectorSection> = shape.object({
  toolkit: maybe(shape.oneOf(toolkitNames)),
  pretrained_model: maybe(path),
  device: maybe(shape.string({ pattern: /^(?:cpu|cuda(?::\d+)?)$/, expected: "cpu, cuda or cuda:N" })),
  spk_embed_tag: maybe(shape.string()),
  save_path: path,
  batch_size: maybe(positive),
  manifest_paths: shape.map(path),
  splits: maybe(shape.list(shape.string(), { min: 1 })),
  output_format: maybe(shape.string()),
  spk_mean: maybe(shape.boolean()),
  report: maybe(shape.boolean()),
  batch_seconds: maybe(shape.number({ min: 0 })),
  stack: maybe(shape.boolean()),
  threads: maybe(positive),
  channel: maybe(shape.union(shape.oneOf(["mix"]), shape.int({ min: 0 }))),
  min_seconds: maybe(shape.number({ min: 0 })),
  silence_db: maybe(shape.number({ max: 0 })),
  max_clipped: maybe(shape.number({ min: 0, max: 1 })),
  model: maybe(modelSection),
  model_file: maybe(path),
  revision: maybe(shape.string({ pattern: /^[\w.][\w./-]*$/, expected: "a branch, a tag or a commit" })),
  sha256: maybe(digest),
});

/** A config with an `xvector:` section; its other sections belong to others. */
export interface XVectorConfig {
  readonly xvector: XVectorSection;
}

const configShape: Shape<XVectorConfig> = shape.object({ xvector: xvectorSection }, { others: shape.any() });

// Folders beside those of the splits.
const taken = ["spk_mean", "index", "report", "runs"];

/** Checks the `xvector:` section once, where it comes in. */
export function checkXVectorConfig(config: unknown): XVectorSection {
  const { xvector } = checkShape(config, configShape);
  for (const split of splitsOf(xvector)) {
    if (!Object.hasOwn(xvector.manifest_paths, split))
      throw badConfig(`xvector.splits names ${JSON.stringify(split)}, which has no manifest`, {
        hint: `xvector.manifest_paths has ${Object.keys(xvector.manifest_paths).join(", ") || "none"}.`,
      });
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

/** The splits to work on: those named, or all that have a manifest. */
export function splitsOf({ splits, manifest_paths }: XVectorSection): readonly string[] {
  return [...new Set(splits ?? Object.keys(manifest_paths))];
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
