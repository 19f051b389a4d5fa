import { ProtobufWriter } from "./protobuf-writer.ts";

/** An input or output of a graph: float32, with a name for each open dimension. */
export interface OnnxGraphValue {
  readonly name: string;
  readonly shape: readonly (number | string)[];
}

/** Constant numbers of a graph: `Float32Array` or, for shapes and axes, `BigInt64Array`. */
export interface OnnxConstant {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

/** An attribute: a bigint is an integer, a number a float, an array a list of integers. */
export type OnnxAttribute = bigint | number | string | readonly bigint[];

/** One step of a graph: an operator, its inputs and outputs. */
export interface OnnxNode {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
}

/** A graph of ONNX operators. */
export interface OnnxGraph {
  readonly name: string;
  /** The version of the operator set. Default: 13, which all recent runtimes know. */
  readonly opset?: number;
  readonly inputs: readonly OnnxGraphValue[];
  readonly outputs: readonly OnnxGraphValue[];
  readonly constants?: readonly OnnxConstant[];
  readonly nodes: readonly OnnxNode[];
}

// Numbers of onnx.proto: element types, kinds of attributes. Field numbers are beside what they write.
const elementType = { float32: 1, int64: 7 } as const;
const attributeType = { float: 1, int: 2, text: 3, ints: 7 } as const;
// The version of the file format; 7 came with operator set 12 and is widely supported.
const irVersion = 7;

/** The bytes of an ONNX file, so that a model can be made without a library. */
export function encodeOnnx(graph: OnnxGraph): Buffer {
  return new ProtobufWriter()
    .int(1, irVersion)
    .text(2, "millrace")
    .message(7, (model) => writeGraph(model, graph))
    .message(8, (opset) => opset.text(1, "").int(2, graph.opset ?? 13))
    .finish();
}

function writeGraph(to: ProtobufWriter, { name, nodes, constants = [], inputs, outputs }: OnnxGraph): void {
  for (const node of nodes) to.message(1, (inner) => writeNode(inner, node));
  to.text(2, name);
  for (const constant of constants) to.message(5, (inner) => writeConstant(inner, constant));
  for (const value of inputs) to.message(11, (inner) => writeValue(inner, value));
  for (const value of outputs) to.message(12, (inner) => writeValue(inner, value));
}

function writeNode(to: ProtobufWriter, { type, inputs, outputs, attributes = {} }: OnnxNode): void {
  for (const name of inputs) to.text(1, name);
  for (const name of outputs) to.text(2, name);
  to.text(4, type);
  for (const [name, value] of Object.entries(attributes)) to.message(5, (inner) => writeAttribute(inner, name, value));
}

function writeAttribute(to: ProtobufWriter, name: string, value: OnnxAttribute): void {
  to.text(1, name);
  if (typeof value === "bigint") to.signed(3, value).int(20, attributeType.int);
  else if (typeof value === "number") to.float(2, value).int(20, attributeType.float);
  else if (typeof value === "string") to.text(4, value).int(20, attributeType.text);
  else {
    for (const entry of value) to.signed(8, entry);
    to.int(20, attributeType.ints);
  }
}

function writeConstant(to: ProtobufWriter, { name, shape, data }: OnnxConstant): void {
  for (const dimension of shape) to.int(1, dimension);
  to.int(2, data instanceof Float32Array ? elementType.float32 : elementType.int64);
  to.text(8, name);
  to.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

function writeValue(to: ProtobufWriter, { name, shape }: OnnxGraphValue): void {
  to.text(1, name).message(2, (type) =>
    type.message(1, (tensor) =>
      tensor.int(1, elementType.float32).message(2, (dimensions) => {
        for (const size of shape)
          dimensions.message(1, (one) => (typeof size === "number" ? one.int(1, size) : one.text(2, size)));
      }),
    ),
  );
}
