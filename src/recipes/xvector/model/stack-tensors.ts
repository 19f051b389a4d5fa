import { MillraceError, type ModelTensor } from "../../../index.ts";
import type { FeatureMatrix } from "../../../speech.ts";
import type { ModelInputs } from "./model-inputs.ts";

/** The tensors for one run of the model. If lengths differ, which needs a model that gets them, zeros are appended. */
export function stackTensors(
  matrices: readonly FeatureMatrix[],
  inputs: ModelInputs,
  model: string,
): Readonly<Record<string, ModelTensor>> {
  const { columns } = matrices[0]!;
  const rows = Math.max(...matrices.map((matrix) => matrix.rows));
  const isFeatureMajor = !inputs.isWaveform && inputs.isFeatureMajor(columns);
  requireFitting({ rows, columns, isFeatureMajor }, inputs, model);
  // One utterance as it comes, the usual case, is not copied.
  const isAsItComes = matrices.length === 1 && inputs.dtype === "float32" && !isFeatureMajor;
  const data = isAsItComes ? matrices[0]!.data : stack(matrices, rows, { dtype: inputs.dtype, isFeatureMajor });
  const sizes = isFeatureMajor ? [columns, rows] : inputs.isWaveform ? waveformSizes(inputs, rows) : [rows, columns];
  const shape = [matrices.length, ...sizes];
  const main: ModelTensor =
    data instanceof Float64Array ? { dtype: "float64", shape, data } : { dtype: "float32", shape, data };
  return { [inputs.name]: main, ...lengthsOf(matrices, inputs) };
}

function stack(
  matrices: readonly FeatureMatrix[],
  rows: number,
  { dtype, isFeatureMajor }: { readonly dtype: "float32" | "float64"; readonly isFeatureMajor: boolean },
): Float32Array | Float64Array {
  const size = rows * matrices[0]!.columns;
  const data = new (dtype === "float64" ? Float64Array : Float32Array)(matrices.length * size);
  for (const [i, matrix] of matrices.entries()) {
    const place = data.subarray(i * size, (i + 1) * size);
    if (isFeatureMajor) transposeInto(place, matrix, rows);
    else place.set(matrix.data);
  }
  return data;
}

function waveformSizes({ fixed }: ModelInputs, samples: number): number[] {
  return fixed.length === 3 ? [1, samples] : [samples];
}

function transposeInto(place: Float32Array | Float64Array, { data, rows, columns }: FeatureMatrix, step: number): void {
  for (let row = 0, i = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, i++) place[column * step + row] = data[i]!;
}

/** The second input of a model that gets the lengths. */
export function lengthsOf(
  matrices: readonly FeatureMatrix[],
  { lengths }: ModelInputs,
): Readonly<Record<string, ModelTensor>> {
  if (lengths === undefined) return {};
  const longest = Math.max(...matrices.map(({ rows }) => rows));
  const { name, dtype, isRatio } = lengths;
  const values = matrices.map(({ rows }) => (isRatio ? rows / longest : rows));
  const shape = [values.length];
  if (dtype === "float32") return { [name]: { dtype, shape, data: Float32Array.from(values) } };
  const counts = values.map(Math.round);
  if (dtype === "int32") return { [name]: { dtype, shape, data: Int32Array.from(counts) } };
  return { [name]: { dtype, shape, data: BigInt64Array.from(counts, BigInt) } };
}

function requireFitting(
  {
    rows,
    columns,
    isFeatureMajor,
  }: { readonly rows: number; readonly columns: number; readonly isFeatureMajor: boolean },
  { fixed, isWaveform }: ModelInputs,
  model: string,
): void {
  const timeAxis = isWaveform ? fixed.length - 1 : isFeatureMajor ? 2 : 1;
  const wantedColumns = isWaveform ? undefined : fixed[isFeatureMajor ? 1 : 2];
  if (wantedColumns !== undefined && wantedColumns !== columns)
    throw new MillraceError(
      "BAD_MODEL",
      `${model} takes ${wantedColumns} features a frame; the front end gives ${columns}.`,
      {
        hint: "Set xvector.model.frontend and frontend_options (num_mel_bins, for instance) to what it was trained with.",
      },
    );
  const wanted = fixed[timeAxis];
  if (wanted === undefined || wanted === rows) return;
  const unit = isWaveform ? "samples" : "frames";
  throw new MillraceError("BAD_MODEL", `${model} takes exactly ${wanted} ${unit}; the audio has ${rows}.`, {
    hint: `Cut the audio into pieces of that length and average their vectors: xvector.model.windows: { length: ${wanted}, step: ${Math.ceil(wanted / 2)} }.`,
  });
}
