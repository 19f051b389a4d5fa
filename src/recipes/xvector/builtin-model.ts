import { MillraceError, type ModelSession } from "../../index.ts";
import { encodeOnnx, type FeatureMatrix, loadOnnx, type OnnxModel } from "../../speech.ts";
import { builtinCepstra } from "./toolkits/builtin.ts";

/** The length of its vectors: a mean and a deviation of each cepstrum except the first. */
const dimension = 2 * (builtinCepstra - 1);

// Below the float32 precision of squared cepstra.
const minVariance = 1e-8;

/**
 * The built-in model as the bytes of an ONNX file: mean and standard deviation over time of every cepstrum except the
 * first, scaled to length 1. The cepstra are liftered, which gives them similar magnitudes; nothing in it is trained.
 */
export function encodeBuiltinModel(): Buffer {
  const int64 = (name: string, ...values: bigint[]) => ({
    name,
    shape: [values.length],
    data: BigInt64Array.from(values),
  });
  return encodeOnnx({
    name: "mfcc_statistics",
    inputs: [{ name: "feats", shape: ["B", "T", builtinCepstra] }],
    outputs: [{ name: "embs", shape: ["B", dimension] }],
    constants: [
      int64("first", 1n),
      int64("last", BigInt(builtinCepstra)),
      int64("feature_axis", 2n),
      { name: "floor", shape: [1], data: Float32Array.of(minVariance) },
    ],
    nodes: [
      { type: "Slice", inputs: ["feats", "first", "last", "feature_axis"], outputs: ["cepstra"] },
      { type: "ReduceMean", inputs: ["cepstra"], outputs: ["mean_row"], attributes: { axes: [1n], keepdims: 1n } },
      { type: "Sub", inputs: ["cepstra", "mean_row"], outputs: ["centred"] },
      { type: "Mul", inputs: ["centred", "centred"], outputs: ["squares"] },
      { type: "ReduceMean", inputs: ["squares"], outputs: ["variance"], attributes: { axes: [1n], keepdims: 0n } },
      { type: "Max", inputs: ["variance", "floor"], outputs: ["floored"] },
      { type: "Sqrt", inputs: ["floored"], outputs: ["deviation"] },
      { type: "ReduceMean", inputs: ["cepstra"], outputs: ["mean"], attributes: { axes: [1n], keepdims: 0n } },
      { type: "Concat", inputs: ["mean", "deviation"], outputs: ["statistics"], attributes: { axis: 1n } },
      { type: "LpNormalization", inputs: ["statistics"], outputs: ["embs"], attributes: { axis: 1n, p: 2n } },
    ],
  });
}

/**
 * The built-in model, in ONNX Runtime, or in plain TypeScript if that is not installed: the same numbers except for
 * rounding, so extraction works on any machine.
 */
export async function loadBuiltinModel(options: {
  readonly device: string;
  readonly threads: number;
}): Promise<OnnxModel> {
  try {
    return await loadOnnx(encodeBuiltinModel(), { ...options, name: "the built-in model" });
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== "MISSING_PEER" || options.device !== "cpu") throw error;
    return {
      ...plainSession(),
      inputNames: ["feats"],
      outputNames: ["embs"],
      inputs: [{ name: "feats", dtype: "float32", shape: ["B", "T", builtinCepstra] }],
      outputs: [{ name: "embs", dtype: "float32", shape: ["B", dimension] }],
      release: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}

/** The graph above without a runtime. */
export function plainSession(): ModelSession {
  return {
    run({ feats }) {
      const [batch, rows, columns] = feats!.shape as [number, number, number];
      const data = new Float32Array(batch * dimension);
      for (let i = 0; i < batch; i++) {
        const matrix = (feats!.data as Float32Array).subarray(i * rows * columns, (i + 1) * rows * columns);
        data.set(poolStatistics({ data: matrix, rows, columns }, minVariance), i * dimension);
      }
      return Promise.resolve({ embs: { dtype: "float32", shape: [batch, dimension], data } });
    },
  };
}

/** Mean and standard deviation over time of every column except the first, scaled to length 1. */
function poolStatistics({ data, rows, columns }: FeatureMatrix, minVariance: number): Float32Array {
  const count = columns - 1;
  const pooled = new Float64Array(2 * count);
  for (let column = 0; column < count; column++) {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += data[row * columns + column + 1]!;
    const mean = sum / rows;
    let squares = 0;
    for (let row = 0; row < rows; row++) squares += (data[row * columns + column + 1]! - mean) ** 2;
    pooled[column] = mean;
    pooled[count + column] = Math.sqrt(Math.max(squares / rows, minVariance));
  }
  const length = Math.hypot(...pooled);
  return Float32Array.from(pooled, (value) => value / length);
}
