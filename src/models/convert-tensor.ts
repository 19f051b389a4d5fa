import type { Tensor } from "onnxruntime-node";
import { MillraceError } from "../errors/errors.ts";
import { type ModelTensor, tensorClasses } from "./model-session.ts";

/** Converts the caller's inputs to tensors of ONNX Runtime, by name. */
export function toOnnx(
  inputs: Readonly<Record<string, ModelTensor>>,
  makeTensor: typeof Tensor,
): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      if (!isModelTensor(input))
        throw new MillraceError("BAD_OPTION", `The input ${name} of a model is no { dtype, shape, data } of numbers.`, {
          hint: `data is the typed array of its dtype, one of ${Object.keys(tensorClasses).join(", ")}: { dtype: "float32", shape: [1, 2], data: new Float32Array(2) }.`,
        });
      // The type of the data was just checked; the classes of ONNX Runtime have one overload for each type.
      return [name, new makeTensor(input.dtype, input.data as never, input.shape)];
    }),
  );
}

/** Converts the outputs of a model, by name. `model` is its name in messages. */
export function fromOnnx(
  outputs: Readonly<Record<string, unknown>>,
  model: string,
): Readonly<Record<string, ModelTensor>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => {
      const { type, dims, data } = output as Partial<Tensor>;
      const tensor = { dtype: type, shape: dims, data: type === "float16" ? bitsOf(data) : data };
      if (isModelTensor(tensor)) return [name, tensor];
      throw new MillraceError("BAD_MODEL", `${model} gives ${type ?? "no tensor"} as ${name}.`, {
        hint: "Only tensors of numbers and booleans are read. Export the model without this output.",
      });
    }),
  );
}

function isModelTensor(value: {
  readonly dtype: unknown;
  readonly shape: unknown;
  readonly data: unknown;
}): value is ModelTensor {
  const { dtype, shape, data } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(tensorClasses, dtype) || !Array.isArray(shape)) return false;
  return data instanceof tensorClasses[dtype as ModelTensor["dtype"]];
}

/** Newer versions of Node.js have a class for float16, which ONNX Runtime then uses. */
function bitsOf(data: unknown): unknown {
  if (!ArrayBuffer.isView(data) || data instanceof Uint16Array) return data;
  return new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
}
