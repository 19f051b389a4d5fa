import { MillraceError, type ModelTensor } from "../../../index.ts";
import type { FeatureMatrix } from "../../../speech.ts";
import type { ModelInputs } from "./model-inputs.ts";

/** The tensors for one run of the model. Where lengths differ, which only happens with models that are told them, zeros follow. */
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
  const isAsItComes = matrices.length === 1 && inputs.type === "float32" && !isFeatureMajor;
  const data = isAsItComes ? matrices[0]!.data : stack(matrices, rows, { type: inputs.type, isFeatureMajor });
  const dims = isFeatureMajor ? [columns, rows] : inputs.isWaveform ? waveformDims(inputs, rows) : [rows, columns];
  const main: ModelTensor = { type: inputs.type, data, dims: [matrices.length, ...dims] };
  return { [inputs.name]: main, ...lengthsOf(matrices, rows, inputs) };
}

function stack(
  matrices: readonly FeatureMatrix[],
  rows: number,
  { type, isFeatureMajor }: { readonly type: "float32" | "float64"; readonly isFeatureMajor: boolean },
): Float32Array | Float64Array {
  const size = rows * matrices[0]!.columns;
  const data = new (type === "float64" ? Float64Array : Float32Array)(matrices.length * size);
  for (const [i, matrix] of matrices.entries()) {
    const place = data.subarray(i * size, (i + 1) * size);
    if (isFeatureMajor) transposeInto(place, matrix, rows);
    else place.set(matrix.data);
  }
  return data;
}

function waveformDims({ fixed }: ModelInputs, samples: number): number[] {
  return fixed.length === 3 ? [1, samples] : [samples];
}

function transposeInto(place: Float32Array | Float64Array, { data, rows, columns }: FeatureMatrix, step: number): void {
  for (let row = 0, i = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, i++) place[column * step + row] = data[i]!;
}

function lengthsOf(
  matrices: readonly FeatureMatrix[],
  longest: number,
  { lengths }: ModelInputs,
): Record<string, ModelTensor> {
  if (lengths === undefined) return {};
  const { name, type, isRatio } = lengths;
  const values = matrices.map(({ rows }) => (isRatio ? rows / longest : rows));
  const data =
    type === "int64"
      ? BigInt64Array.from(values, (value) => BigInt(Math.round(value)))
      : type === "int32"
        ? Int32Array.from(values, Math.round)
        : Float32Array.from(values);
  return { [name]: { type, data, dims: [matrices.length] } };
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
