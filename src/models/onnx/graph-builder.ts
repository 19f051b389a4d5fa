import type { OnnxAttribute, OnnxConstant, OnnxGraph, OnnxGraphValue, OnnxNode } from "./encode-onnx.ts";

/** The name of a value in a graph: an input, a constant, or the output of a node. */
export type Value = string & { readonly isValue?: true };

type Attributes = Readonly<Record<string, OnnxAttribute>>;

/** Builds a graph node by node; names stay readable, and are made unique. */
export class GraphBuilder {
  private readonly nodes: OnnxNode[] = [];
  private readonly constants = new Map<string, OnnxConstant>();
  private readonly inputs: OnnxGraphValue[] = [];
  private readonly outputs: OnnxGraphValue[] = [];
  private readonly uses = new Map<string, number>();

  input(name: string, shape: OnnxGraphValue["shape"]): Value {
    this.inputs.push({ name, shape });
    return name;
  }

  /** The result of an operator. `name` says where in the model it is. */
  op(type: string, inputs: readonly Value[], name: string, attributes: Attributes = {}): Value {
    return this.ops(type, inputs, { name, count: 1, attributes })[0]!;
  }

  /** All results of an operator that has several. */
  ops(
    type: string,
    inputs: readonly Value[],
    { name, count, attributes }: { readonly name: string; readonly count: number; readonly attributes: Attributes },
  ): Value[] {
    const outputs = Array.from({ length: count }, () => this.unique(`${name}/${type}`));
    this.nodes.push({ type, inputs, outputs, attributes });
    return outputs;
  }

  /** A constant of the graph. One of the same name is the same constant. */
  constant(name: string, shape: readonly number[], data: OnnxConstant["data"]): Value {
    if (!this.constants.has(name)) this.constants.set(name, { name, shape, data });
    return name;
  }

  /** Integers, as sizes and axes are given. */
  integers(...values: readonly number[]): Value {
    return this.constant(`int64:${values.join(",")}`, [values.length], BigInt64Array.from(values, BigInt));
  }

  /** One number. */
  number(value: number): Value {
    return this.constant(`float32:${value}`, [1], Float32Array.of(value));
  }

  output(value: Value, name: string, shape: OnnxGraphValue["shape"]): void {
    this.nodes.push({ type: "Identity", inputs: [value], outputs: [name] });
    this.outputs.push({ name, shape });
  }

  build(name: string): OnnxGraph {
    const { nodes, inputs, outputs } = this;
    return { name, inputs, outputs, nodes, constants: [...this.constants.values()] };
  }

  private unique(name: string): string {
    const count = (this.uses.get(name) ?? 0) + 1;
    this.uses.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  }
}
