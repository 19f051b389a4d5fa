import type { NdArray } from "../formats/nd-array.ts";
import { encodeOnnx, type OnnxAttribute } from "../models/onnx/encode-onnx.ts";
import { GraphBuilder, type Value } from "../models/onnx/graph-builder.ts";
import { badCheckpoint } from "./bad-checkpoint.ts";
import type { StateDict } from "./state-dict.ts";

type Attributes = Readonly<Record<string, OnnxAttribute>>;

/** What all modules of one model share: the graph, the weights, and which of them were asked for. */
interface Conversion {
  readonly graph: GraphBuilder;
  readonly state: StateDict;
  readonly used: Set<string>;
  readonly problems: string[];
}

/**
 * A module of PyTorch while its graph is made: the part of a state dict below a prefix, and the nodes that are named
 * after it. Every weight is asked for with its shape; what does not fit is collected, so that all of it is reported.
 */
export class Module {
  readonly prefix: string;
  private readonly conversion: Conversion;

  private constructor(conversion: Conversion, prefix: string) {
    this.conversion = conversion;
    this.prefix = prefix;
  }

  /** The root of a model. */
  static of(state: StateDict): Module {
    return new Module({ graph: new GraphBuilder(), state, used: new Set(), problems: [] }, "");
  }

  get graph(): GraphBuilder {
    return this.conversion.graph;
  }

  /** A module below this one: `blocks.0.conv`. */
  in(name: string | number): Module {
    return new Module(this.conversion, this.nameOf(String(name)));
  }

  op(type: string, inputs: readonly Value[], attributes: Attributes = {}): Value {
    return this.graph.op(type, inputs, this.prefix, attributes);
  }

  /** A weight as a constant of the graph. */
  weight(name: string, shape: readonly number[]): Value {
    const { data } = this.tensor(name, shape);
    return this.graph.constant(this.nameOf(name), shape, data);
  }

  /** A weight's numbers, for constants that are computed from them. */
  tensor(name: string, shape: readonly number[]): NdArray<"float32"> {
    const full = this.nameOf(name);
    const { state, used, problems } = this.conversion;
    const found = state.tensors.get(full);
    used.add(full);
    const wanted = describe("float32", shape);
    if (found === undefined) problems.push(`${full} is missing: ${wanted}`);
    else if (found.dtype === "float32" && found.shape.join() === shape.join()) return found;
    else problems.push(`${full} is ${describe(found.dtype, found.shape)}, not ${wanted}`);
    // The conversion continues without the numbers, to find the other problems, and is refused at its end.
    return { dtype: "float32", shape, data: new Float32Array(0) };
  }

  /** The shape of a weight, where no configuration says it. Empty if it is missing. */
  shapeOf(name: string): readonly number[] {
    return this.conversion.state.tensors.get(this.nameOf(name))?.shape ?? [];
  }

  has(name: string): boolean {
    return this.conversion.state.tensors.has(this.nameOf(name));
  }

  /** Weights that training needs and the embedding does not: those names, and all below them. */
  skip(...names: readonly string[]): void {
    for (const name of names) {
      const full = this.nameOf(name);
      for (const other of this.conversion.state.tensors.keys())
        if (other === full || other.startsWith(`${full}.`)) this.conversion.used.add(other);
    }
  }

  /** The ONNX file; refused if the weights are not exactly those of the model. */
  finish(name: string): Buffer {
    const { graph, state, used, problems } = this.conversion;
    for (const [other, { dtype, shape }] of state.tensors)
      if (!used.has(other)) problems.push(`${other} is unknown: ${describe(dtype, shape)}`);
    if (problems.length > 0) throw wrongWeights(state.file, name, problems);
    return encodeOnnx(graph.build(name));
  }

  private nameOf(name: string): string {
    return this.prefix === "" ? name : `${this.prefix}.${name}`;
  }
}

function describe(dtype: string, shape: readonly number[]): string {
  return `${dtype} [${shape.join(", ")}]`;
}

// A longer list does not help the reader.
const maxShown = 30;

function wrongWeights(file: string, name: string, problems: readonly string[]): Error {
  const shown = problems.slice(0, maxShown).map((problem) => `\n  ${problem}`);
  if (problems.length > maxShown) shown.push(`\n  … and ${problems.length - maxShown} more`);
  return badCheckpoint(
    file,
    `its weights are not those of ${name} as its configuration describes it:${shown.join("")}`,
    "The configuration beside it is of another model, or this version of the model is not known here.",
  );
}
