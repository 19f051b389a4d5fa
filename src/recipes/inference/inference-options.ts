import { safeFileName } from "../../formats.ts";
import { MillraceError, type OwnOptions, type Shape, shape } from "../../index.ts";

/** How the values of one key are written to files. */
export interface ArtifactOptions {
  /** Default: by the value. Arrays become npy, audio wav, objects json. */
  readonly type?: "npy" | "json" | "wav" | "text" | "bytes";
  /** For wav, if the value is only samples. In configs also `sample_rate`, as in ESPnet3. */
  readonly sampleRate?: number;
  /** The same, by ESPnet3's name. */
  readonly sample_rate?: number;
  /** For wav. Default `pcm16`. */
  readonly encoding?: "pcm16" | "pcm24" | "float32";
  /** The extension of file names. Default: by the type; `.bin` for bytes and custom writers. */
  readonly extension?: string;
  /**
   * `./file.js#function` of the project, or `{ _target_, …options }`: gets `{ value, id, key, outputPath, …options }` and returns
   * the bytes of the file, or the path of the file that it wrote: `outputPath` with an extension.
   */
  readonly writer?: string | (Readonly<Record<string, unknown>> & { readonly _target_: string });
}

/** The options of an {@link InferenceRunner} besides those of every runner. */
export interface InferenceOptions {
  /** Key or keys of a dataset item that the model gets. Default `speech`. */
  readonly inputKey?: string | readonly string[];
  /**
   * `./file.js#function` of the project: makes the output of an item from `{ data, modelOutput, idx }`; with
   * `batchSize` it gets lists and returns a list. A subclass can have a static `outputFn` instead. Default: the model's
   * output unchanged.
   */
  readonly outputFn?: string;
  /** Key of the id in the output. Default `utt_id`. */
  readonly idxKey?: string;
  /** Required key or keys of the output; `[]` for none. Default `hyp`. */
  readonly hypKey?: string | readonly string[];
  /** The same for references. Default `ref`. */
  readonly refKey?: string | readonly string[];
  /** Key or keys of the output that are written. Default: all except the id. */
  readonly outputKeys?: string | readonly string[];
  /** Additional arguments of the model, in its argument object. */
  readonly modelKwargs?: Readonly<Record<string, unknown>>;
  /** How values are written to files, by key. */
  readonly outputArtifacts?: Readonly<Record<string, ArtifactOptions>>;
}

/** The options as the hooks get them. */
export type CheckedInferenceOptions = Required<Omit<InferenceOptions, "outputFn" | "outputKeys">> &
  Pick<InferenceOptions, "outputFn" | "outputKeys">;

const key = shape.string({ pattern: /./, expected: "the name of a key" });
const keys = shape.union(key, shape.list(key)) as Shape<string | readonly string[]>;
const target = shape.string({ pattern: /#/, expected: "a text like ./file.js#function" });
const artifact = shape.object({
  type: shape.optional(shape.oneOf(["npy", "json", "wav", "text", "bytes"])),
  sampleRate: shape.optional(shape.int({ min: 1 })),
  sample_rate: shape.optional(shape.int({ min: 1 })),
  encoding: shape.optional(shape.oneOf(["pcm16", "pcm24", "float32"])),
  extension: shape.optional(
    shape.string({ pattern: /^\.[A-Za-z0-9][A-Za-z0-9.]{0,15}$/, expected: "a text like .flac" }),
  ),
  writer: shape.optional(shape.union(target, shape.object({ _target_: target }, { others: shape.any() }))),
}) as Shape<ArtifactOptions>;

export const inferenceOptions: OwnOptions<InferenceOptions> = {
  inputKey: { shape: keys, default: "speech" },
  outputFn: { shape: shape.optional(target) as Shape<string> },
  idxKey: { shape: key, default: "utt_id" },
  hypKey: { shape: keys, default: "hyp" },
  refKey: { shape: keys, default: "ref" },
  outputKeys: {
    shape: shape.optional(shape.union(key, shape.list(key, { min: 1 }))) as Shape<string | readonly string[]>,
  },
  modelKwargs: { shape: shape.map(shape.any()), default: {} },
  outputArtifacts: { shape: shape.map(artifact), default: {} },
};

/** One key or several, as a list. */
export function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

/** A key of the output names a file and a folder in each shard. */
export function checkOutputKey(name: string): string {
  const isPlain = /^[A-Za-z0-9_-]{1,100}$/.test(name) && safeFileName(name) === name && name !== "done";
  if (isPlain) return name;
  throw new MillraceError(
    "BAD_RECORD",
    `The key ${JSON.stringify(name)} of an output cannot be the name of an scp file.`,
    {
      hint: "Name outputs with letters, digits, _ and -, and not `done`; or list those to be written in outputKeys.",
    },
  );
}
