// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import type { ModelSession, ModelTensor } from "millrace";
import type { NdArray } from "millrace/formats";
import { loadOnnx } from "millrace/speech";

// What a model gives can be written as any other array.
export const toArray = (tensor: ModelTensor): NdArray => tensor;

export async function use(session: ModelSession): Promise<Float32Array | undefined> {
  const model = await loadOnnx("m.onnx");
  const x: NdArray<"float32"> = { dtype: "float32", shape: [1, 2], data: Float32Array.of(1, 2) };
  const { y } = await model.run({ x });
  // @ts-expect-error: data is of its dtype.
  await session.run({ x: { dtype: "float32", shape: [2], data: Float64Array.of(1, 2) } });
  // @ts-expect-error: the names of ONNX Runtime are not those of this library.
  await session.run({ x: { type: "float32", dims: [2], data: Float32Array.of(1, 2) } });
  return y?.dtype === "float32" ? y.data : undefined;
}
