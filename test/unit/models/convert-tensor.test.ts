import { Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { fromOnnx, toOnnx } from "../../../src/models/convert-tensor.ts";
import type { ModelTensor } from "../../../src/models/model-session.ts";

const tensors: ModelTensor[] = [
  { dtype: "bool", shape: [2], data: Uint8Array.of(0, 1) },
  { dtype: "int8", shape: [1, 2], data: Int8Array.of(-1, 2) },
  { dtype: "int16", shape: [2], data: Int16Array.of(-1, 2) },
  { dtype: "int32", shape: [2], data: Int32Array.of(-1, 2) },
  { dtype: "int64", shape: [], data: BigInt64Array.of(-1n) },
  { dtype: "uint8", shape: [2], data: Uint8Array.of(1, 2) },
  { dtype: "uint16", shape: [2], data: Uint16Array.of(1, 2) },
  { dtype: "uint32", shape: [2], data: Uint32Array.of(1, 2) },
  { dtype: "uint64", shape: [2], data: BigUint64Array.of(1n, 2n) },
  { dtype: "float16", shape: [2], data: Uint16Array.of(0x3c00, 0xc000) },
  { dtype: "float32", shape: [2, 1], data: Float32Array.of(1.5, -2) },
  { dtype: "float64", shape: [2], data: Float64Array.of(1.5, -2) },
];

describe("tensors of ONNX Runtime", () => {
  it.each(tensors)("keep $dtype", (tensor) => {
    expect(fromOnnx(toOnnx({ x: tensor }, Tensor), "m.onnx")).toEqual({ x: tensor });
  });

  it.each([
    ["the names that ONNX Runtime uses", { type: "float32", dims: [1], data: Float32Array.of(1) }],
    ["the data of another type", { dtype: "float32", shape: [1], data: Float64Array.of(1) }],
    ["an element type that it has not", { dtype: "complex64", shape: [1], data: Float32Array.of(1, 0) }],
    ["a shape that is a number", { dtype: "float32", shape: 1, data: Float32Array.of(1) }],
  ])("are not made of %s", (_what, input) => {
    expect(() => toOnnx({ x: input as unknown as ModelTensor }, Tensor)).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining("The input x of a model") }),
    );
  });

  it("are refused where they hold texts, by the output's name", () => {
    const label = new Tensor("string", ["a"], [1]);
    expect(() => fromOnnx({ label }, "m.onnx")).toThrow(
      expect.objectContaining({ code: "BAD_MODEL", message: expect.stringContaining("m.onnx gives string as label.") }),
    );
    expect(() => fromOnnx({ map: {} }, "m.onnx")).toThrow(/m.onnx gives no tensor as map/);
  });
});
