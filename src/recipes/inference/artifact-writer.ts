import { lstatSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { MillraceError } from "../../index.ts";
import { describeValue } from "./describe-value.ts";
import type { ArtifactOptions, CheckedInferenceOptions } from "./inference-options.ts";
import { loadFunction, type NamedFunction } from "./load-function.ts";

/** A function of the user that writes the values of one key, with the options that the config has for it. */
export interface ArtifactWriter {
  readonly target: string;
  readonly call: NamedFunction;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The encoded value: text for the scp line, or a file that the line refers to, which a writer may have written already. */
export type Encoded =
  | { readonly text: string }
  | { readonly bytes: Uint8Array; readonly extension: string }
  | { readonly path: string };

/** The place of a value: its key, the id of its output, and its file. */
export interface WriterContext {
  readonly key: string;
  readonly id: string;
  readonly options: ArtifactOptions | undefined;
  /** The path of the value's file in the shard, without an extension. */
  readonly outputPath: string;
}

const givenNames = ["value", "id", "key", "outputPath"];

/** Loads the writers that `outputArtifacts` name, by key, and refuses options that contradict each other. */
export async function loadArtifactWriters({
  outputArtifacts,
}: Pick<CheckedInferenceOptions, "outputArtifacts">): Promise<Map<string, ArtifactWriter>> {
  const writers = new Map<string, ArtifactWriter>();
  for (const [key, artifact] of Object.entries(outputArtifacts)) {
    const { writer, sampleRate, sample_rate } = artifact;
    if (sampleRate !== undefined && sample_rate !== undefined)
      throw badOption(key, "has both sample_rate and sampleRate", "They are one option: leave one of them out.");
    if (writer !== undefined) writers.set(key, await loadWriter(key, writer));
  }
  return writers;
}

async function loadWriter(key: string, writer: NonNullable<ArtifactOptions["writer"]>): Promise<ArtifactWriter> {
  const { _target_: target, ...options } = typeof writer === "string" ? { _target_: writer } : writer;
  const taken = givenNames.find((name) => name in options);
  if (taken !== undefined)
    throw badOption(
      key,
      `has an option ${taken} of its writer`,
      `A writer gets ${givenNames.join(", ")} anyway: rename it.`,
    );
  return { target, call: await loadFunction(target), options };
}

/** Lets the user's function encode or write one value. */
export async function callWriter(writer: ArtifactWriter, value: unknown, context: WriterContext): Promise<Encoded> {
  const { key, id, options, outputPath } = context;
  mkdirSync(dirname(outputPath), { recursive: true });
  const made = await writer.call({ ...writer.options, value, id, key, outputPath });
  if (made instanceof Uint8Array) return { bytes: made, extension: options?.extension ?? ".bin" };
  const hint =
    "A writer returns the bytes of the file (Buffer.from(text) for a text), or the path of the file that it wrote: outputPath with an extension.";
  if (typeof made !== "string" || made.includes("\0"))
    throw new MillraceError("BAD_RECORD", `${writer.target} gave ${describeValue(made)} for "${key}" of ${id}.`, {
      hint,
    });
  const path = resolve(made);
  const refuse = (what: string): never => {
    throw new MillraceError(
      "BAD_RECORD",
      `${writer.target} gave ${JSON.stringify(made)} for "${key}" of ${id}: ${what}.`,
      { hint },
    );
  };
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) refuse("there is no such file");
  // Any other name could be that of another value, or be left behind when the shard is committed.
  if (path !== outputPath && !path.startsWith(`${outputPath}.`)) refuse(`it is not ${outputPath} with an extension`);
  return { path };
}

function badOption(key: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_OPTION", `outputArtifacts.${key} ${what}.`, { hint });
}
