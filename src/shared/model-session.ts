/** Numbers with a shape, as models take and give them. */
export interface ModelTensor {
  readonly type: "float32" | "float64" | "int64" | "int32";
  readonly data: Float32Array | Float64Array | BigInt64Array | Int32Array;
  readonly dims: readonly number[];
}

/** A model that can be run: what of ONNX Runtime is needed, so that anything else can stand in for it. */
export interface ModelSession {
  run(inputs: Readonly<Record<string, ModelTensor>>): Promise<Readonly<Record<string, ModelTensor>>>;
}
