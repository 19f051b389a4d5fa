/** The array class of each element type. Booleans are bytes 0 and 1; float16 is its bits. */
interface TensorData {
  bool: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
}

/** Numbers with a shape, as models take and give them: an `NdArray` of an element type that ONNX Runtime has. */
export type ModelTensor = {
  [D in keyof TensorData]: { readonly dtype: D; readonly shape: readonly number[]; readonly data: TensorData[D] };
}[keyof TensorData];

/** A model that can be run: the part of ONNX Runtime that is needed, so that other implementations can be used. */
export interface ModelSession {
  run(inputs: Readonly<Record<string, ModelTensor>>): Promise<Readonly<Record<string, ModelTensor>>>;
}

/** The element types of `ModelTensor`, and the class of their numbers. */
export const tensorClasses: Readonly<Record<keyof TensorData, new (...args: never[]) => ArrayBufferView>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};
