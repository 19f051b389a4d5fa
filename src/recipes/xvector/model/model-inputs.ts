import { MillraceError } from "../../../index.ts";
import type { OnnxModel, OnnxValue } from "../../../speech.ts";
import type { ModelConvention } from "../toolkits/toolkit.ts";

/** The names, types and layout of a model's inputs. */
export interface ModelInputs {
  readonly name: string;
  readonly dtype: "float32" | "float64";
  readonly isWaveform: boolean;
  /** True for [batch, feature, time] instead of [batch, time, feature]. */
  readonly isFeatureMajor: (columns: number) => boolean;
  /** The sizes of the model's fixed dimensions. A waveform may have one more, of size 1. */
  readonly fixed: readonly (number | undefined)[];
  /** True if several utterances can be run at once. */
  readonly isBatched: boolean;
  readonly lengths:
    | { readonly name: string; readonly dtype: "int64" | "int32" | "float32"; readonly isRatio: boolean }
    | undefined;
  readonly output: string;
}

/** Inspects a model once, so that a mismatch is reported before the first utterance. */
export function chooseInputs(session: OnnxModel, convention: ModelConvention, model: string): ModelInputs {
  const main = find(session.inputs, convention.inputName, "input", model) ?? session.inputs[0];
  if (main === undefined) throw refuse(model, "has no input", "It is not a speaker model.");
  const others = session.inputs.filter((value) => value !== main);
  if (others.length > 1)
    throw refuse(
      model,
      `has ${session.inputs.length} inputs: ${names(session.inputs)}`,
      "One, and one for lengths, can be filled.",
    );
  const dtype = main.dtype ?? "float32";
  if (dtype !== "float32" && dtype !== "float64")
    throw refuse(model, `takes ${dtype} as ${main.name}`, "Export it with float32 inputs.");
  const isWaveform = convention.input === "waveform";
  const rank = main.shape.length === 0 ? (isWaveform ? 2 : 3) : main.shape.length;
  if (!(isWaveform ? [2, 3] : [3]).includes(rank))
    throw refuse(
      model,
      `takes ${main.name} with ${rank} dimensions, but ${isWaveform ? "a waveform has 2" : "features have 3"}`,
      "Set xvector.model.input to waveform or features, whichever it takes.",
    );
  const fixed = Array.from({ length: rank }, (_, axis) => fixedSize(main.shape[axis]));
  return {
    name: main.name,
    dtype,
    isWaveform,
    fixed,
    isFeatureMajor: (columns) =>
      convention.layout === "auto"
        ? fixed[1] === columns && fixed[2] !== columns
        : convention.layout === "feature_major",
    isBatched: fixed[0] === undefined,
    lengths: chooseLengths(others[0], convention, model),
    output: chooseOutput(session.outputs, convention, model),
  };
}

// Open dimensions have a name, or -1.
function fixedSize(size: number | string | undefined): number | undefined {
  return typeof size === "number" && size > 0 ? size : undefined;
}

function chooseLengths(
  value: OnnxValue | undefined,
  { lengths }: ModelConvention,
  model: string,
): ModelInputs["lengths"] {
  if (value === undefined) {
    if (lengths === "auto" || lengths === "none") return undefined;
    throw refuse(model, "has no second input for lengths", "Remove xvector.model.lengths.");
  }
  const dtype = value.dtype ?? "int64";
  const isKnown = dtype === "int64" || dtype === "int32" || dtype === "float32";
  if (!isKnown || lengths === "none")
    throw refuse(
      model,
      `has a second input ${value.name} of ${dtype}`,
      "Say what it is in xvector.model.lengths: count or ratio.",
    );
  return { name: value.name, dtype, isRatio: lengths === "auto" ? dtype === "float32" : lengths === "ratio" };
}

function chooseOutput(outputs: readonly OnnxValue[], { outputName }: ModelConvention, model: string): string {
  const named = find(outputs, outputName, "output", model);
  if (named !== undefined) return named.name;
  if (outputs.length === 1) return outputs[0]!.name;
  throw refuse(
    model,
    `has ${outputs.length} outputs: ${names(outputs)}`,
    "Name the vector's in xvector.model.output_name.",
  );
}

function find(
  values: readonly OnnxValue[],
  name: string | undefined,
  what: "input" | "output",
  model: string,
): OnnxValue | undefined {
  const found = values.find((value) => value.name === name);
  if (name === undefined || found !== undefined) return found;
  throw refuse(model, `has no ${what} ${JSON.stringify(name)}`, `Its ${what}s are ${names(values)}.`);
}

function names(values: readonly OnnxValue[]): string {
  return values.map(({ name }) => name).join(", ");
}

function refuse(model: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_MODEL", `${model} ${what}.`, { hint });
}
