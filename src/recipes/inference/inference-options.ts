import { safeFileName } from "../../formats.ts";
import { MillraceError, type OwnOptions, type Shape, shape } from "../../index.ts";

/** How the values of one key become files. */
export interface ArtifactOptions {
  /** Default: by the value. Arrays are npy, audio is wav, objects are json. */
  readonly type?: "npy" | "json" | "wav" | "text" | "bytes";
  /** Of a wav whose value is only samples. */
  readonly sampleRate?: number;
  /** Of a wav. Default `pcm16`. */
  readonly encoding?: "pcm16" | "pcm24" | "float32";
  /** How file names end. Default: by the type; `.bin` for bytes and for a writer of your own. */
  readonly extension?: string;
  /** `./file.js#function` of the project: gets `{ value, id, key }` and returns the bytes (or the text) of the file. */
  readonly writer?: string;
}

/** What an {@link InferenceRunner} takes beside the options of every runner. */
export interface InferenceOptions {
  /** Key or keys of a dataset's item that the model gets. Default `speech`. */
  readonly inputKey?: string | readonly string[];
  /**
   * `./file.js#function` of the project: makes the output of an item from `{ data, modelOutput, idx }`; with `batchSize` it
   * gets lists and returns one. A subclass can have a static `outputFn` instead. Default: the model's output as it is.
   */
  readonly outputFn?: string;
  /** Key of the output that holds the id. Default `utt_id`. */
  readonly idxKey?: string;
  /** Key or keys of the output that must be there; `[]` for none. Default `hyp`. */
  readonly hypKey?: string | readonly string[];
  /** The same for references. Default `ref`. */
  readonly refKey?: string | readonly string[];
  /** Keys of the output to be written. Default: all but the id. */
  readonly outputKeys?: readonly string[];
  /** Further arguments of the model, in the object that it gets. */
  readonly modelKwargs?: Readonly<Record<string, unknown>>;
  /** How values become files, by key. */
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
  encoding: shape.optional(shape.oneOf(["pcm16", "pcm24", "float32"])),
  extension: shape.optional(
    shape.string({ pattern: /^\.[A-Za-z0-9][A-Za-z0-9.]{0,15}$/, expected: "a text like .flac" }),
  ),
  writer: shape.optional(target),
}) as Shape<ArtifactOptions>;

export const inferenceOptions: OwnOptions<InferenceOptions> = {
  inputKey: { shape: keys, default: "speech" },
  outputFn: { shape: shape.optional(target) as Shape<string> },
  idxKey: { shape: key, default: "utt_id" },
  hypKey: { shape: keys, default: "hyp" },
  refKey: { shape: keys, default: "ref" },
  outputKeys: { shape: shape.optional(shape.list(key)) as Shape<readonly string[]> },
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
