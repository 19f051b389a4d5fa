import { loadOnnx } from "../../../src/models/load-onnx.ts";
import { encodeOnnx } from "../../../src/models/onnx/encode-onnx.ts";
import { caseName, type Reader } from "../reader.ts";

const model = (): Buffer =>
  encodeOnnx({
    name: "sum",
    inputs: [{ name: "x", shape: ["n", 3] }],
    outputs: [{ name: "y", shape: ["n", 3] }],
    constants: [{ name: "c", shape: [3], data: Float32Array.of(1, 2, 3) }],
    nodes: [{ type: "Add", inputs: ["x", "c"], outputs: ["y"] }],
  });

/** What is no model is refused before ONNX Runtime sees it; the rest is its own code, kept in a process of its own here. */
export const onnx: Reader = {
  covers: ["loadOnnx"],
  seeds: () => [model()],
  codes: ["BAD_MODEL"],
  read: async ({ bytes, file, random }) => {
    const loaded = await loadOnnx(random.chance(1 / 16) ? file() : bytes, { name: caseName });
    await loaded.release();
  },
};
