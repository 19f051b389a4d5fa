import { describe, expect, it } from "vitest";
import { loadOnnx } from "../../../src/models/load-onnx.ts";
import { encodeOnnx } from "../../../src/models/onnx/encode-onnx.ts";
import { ProtobufWriter } from "../../../src/models/onnx/protobuf-writer.ts";

describe("ProtobufWriter", () => {
  // The examples of the encoding's documentation.
  it("writes integers in as few bytes as they need", () => {
    expect(new ProtobufWriter().int(1, 150).finish().toString("hex")).toBe("089601");
    expect(new ProtobufWriter().int(1, 0).finish().toString("hex")).toBe("0800");
  });

  it("writes negative integers in ten bytes", () => {
    expect(new ProtobufWriter().signed(1, -2).finish().toString("hex")).toBe("08feffffffffffffffff01");
  });

  it("writes texts, floats and messages with their length or size", () => {
    expect(new ProtobufWriter().text(2, "testing").finish().toString("hex")).toBe("120774657374696e67");
    expect(new ProtobufWriter().float(3, 1).finish().toString("hex")).toBe("1d0000803f");
    const nested = new ProtobufWriter().message(3, (inner) => inner.int(1, 150)).finish();
    expect(nested.toString("hex")).toBe("1a03089601");
  });

  it("writes field numbers beyond 15 in two bytes", () => {
    expect(new ProtobufWriter().int(20, 2).finish().toString("hex")).toBe("a00102");
  });
});

describe("encodeOnnx", () => {
  it("gives a model that ONNX Runtime runs, with its constants and attributes of every kind", async () => {
    const bytes = encodeOnnx({
      name: "affine",
      inputs: [{ name: "x", shape: ["B", 3] }],
      outputs: [{ name: "y", shape: ["B", 2] }],
      constants: [
        { name: "w", shape: [2, 3], data: Float32Array.of(1, 2, 3, -1, 0, 0.5) },
        { name: "b", shape: [2], data: Float32Array.of(10, -10) },
        { name: "last", shape: [1], data: BigInt64Array.of(-1n) },
      ],
      nodes: [
        { type: "Gemm", inputs: ["x", "w", "b"], outputs: ["g"], attributes: { alpha: 2, transB: 1n } },
        { type: "Unsqueeze", inputs: ["g", "last"], outputs: ["u"] },
        { type: "ReduceMean", inputs: ["u"], outputs: ["y"], attributes: { axes: [-1n], keepdims: 0n } },
      ],
    });
    const model = await loadOnnx(bytes, { name: "affine" });
    expect(model.inputs).toEqual([{ name: "x", dtype: "float32", shape: ["B", 3] }]);
    expect(model.outputNames).toEqual(["y"]);
    const { y } = await model.run({ x: { dtype: "float32", shape: [2, 3], data: Float32Array.of(1, 1, 1, 0, 1, 2) } });
    expect(y!.shape).toEqual([2, 2]);
    expect([...(y!.data as Float32Array)]).toEqual([22, -11, 26, -8]);
    await model.release();
  });

  it("differs from a graph with an input that nothing provides", async () => {
    const graph = encodeOnnx({
      name: "open",
      inputs: [{ name: "x", shape: ["B", 3] }],
      outputs: [{ name: "y", shape: ["B", 3] }],
      nodes: [{ type: "Add", inputs: ["x", "nothing"], outputs: ["y"] }],
    });
    await expect(loadOnnx(graph, { name: "affine" })).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringContaining("affine"),
    });
  });
});
