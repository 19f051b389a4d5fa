import { MillraceError, type ModelTensor } from "../../../index.ts";

/** The vectors in a model's output. Dimensions of size 1, which some exports leave in, are removed. */
export function vectorsOf(output: ModelTensor | undefined, count: number, model: string): Float32Array[] {
  const numbers = output?.data;
  if (output === undefined || !(numbers instanceof Float32Array || numbers instanceof Float64Array))
    throw refuse(model, `gives ${output === undefined ? "nothing" : output.dtype}`, "A vector of floats was expected.");
  const { shape } = output;
  const wide = shape.slice(shape[0] === count ? 1 : 0).filter((size) => size !== 1);
  const [size = 1] = wide;
  if (wide.length > 1 || size * count !== numbers.length)
    throw refuse(
      model,
      `gives a tensor of [${shape.join(", ")}] for ${count} utterance${count === 1 ? "" : "s"}`,
      "One vector each was expected. Name the pooled output in xvector.model.output_name.",
    );
  return Array.from({ length: count }, (_, i) => checkVector(numbers.subarray(i * size, (i + 1) * size), model));
}

/** A model gives an output for any input; an invalid vector is refused. */
function checkVector(values: Float32Array | Float64Array, model: string): Float32Array {
  const vector = new Float32Array(values);
  let [isAllFinite, isZero] = [true, true];
  for (const value of vector) {
    isAllFinite &&= Number.isFinite(value);
    isZero &&= value === 0;
  }
  if (!isAllFinite)
    throw refuse(model, "gave a non-finite embedding (NaN or infinity)", "The audio or the model is damaged.");
  if (isZero) throw refuse(model, "gave an embedding of zeros only", "The audio or the model is damaged.");
  return vector;
}

function refuse(model: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_MODEL", `${model} ${what}.`, { hint });
}
