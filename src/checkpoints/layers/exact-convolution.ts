import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

export interface ExactConvolution {
  /** One row of `kernel` numbers for each filter. */
  readonly filters: Float32Array;
  readonly count: number;
  readonly kernel: number;
  readonly stride: number;
}

// Element types of ONNX.
const [float32, float64] = [1n, 11n];

/**
 * A convolution over [batch, 1, samples] that is added up in float64: [batch, count, time]. What follows is a logarithm,
 * in which the rounding of float32 would be a large part of a quiet band. The runtime has no such convolution, so it is
 * one product of matrices: the samples are cut into blocks of one stride, and a frame is a few blocks in a row.
 */
export function convolveExactly(module: Module, x: Value, options: ExactConvolution): Value {
  const { count, kernel, stride } = options;
  const { graph } = module;
  const blocks = Math.ceil(kernel / stride);
  const double = module.op("Cast", [x], { to: float64 });
  const parts = cutIntoBlocks(module, double, { stride, added: blocks * stride - kernel });
  const shifted = Array.from({ length: blocks }, (_, at) => {
    // Without the blocks that no frame begins with, seen from its block `at`.
    const end = at === blocks - 1 ? Number.MAX_SAFE_INTEGER : at - blocks + 1;
    return module.op("Slice", [parts, graph.integers(at), graph.integers(end), graph.integers(1)]);
  });
  const frames = module.op("Concat", shifted, { axis: 2n });
  const matrix = graph.constant(
    `${module.prefix}.filters`,
    [blocks * stride, count],
    columnsOf(options, blocks * stride),
  );
  const product = module.op("MatMul", [frames, module.op("Cast", [matrix], { to: float64 })]);
  return module.op("Transpose", [module.op("Cast", [product], { to: float32 })], { perm: [0n, 2n, 1n] });
}

/** [batch, 1, samples] → [batch, blocks, stride], with zeros behind the samples, and without an incomplete block. */
function cutIntoBlocks(
  module: Module,
  x: Value,
  { stride, added }: { readonly stride: number; readonly added: number },
): Value {
  const { graph } = module;
  const padded = module.op("Pad", [x, graph.integers(0, 0, 0, 0, 0, added)]);
  const length = module.op("Gather", [module.op("Shape", [padded]), graph.integers(2)], { axis: 0n });
  const whole = module.op("Mul", [module.op("Div", [length, graph.integers(stride)]), graph.integers(stride)]);
  const even = module.op("Slice", [padded, graph.integers(0), whole, graph.integers(2)]);
  return module.op("Reshape", [even, graph.integers(0, -1, stride)]);
}

/** The filters as the columns of a matrix, with zeros below them. */
function columnsOf({ filters, count, kernel }: ExactConvolution, rows: number): Float32Array {
  // Filters of another size were noted as a problem.
  if (filters.length !== count * kernel) return new Float32Array(0);
  const columns = new Float32Array(rows * count);
  for (let filter = 0; filter < count; filter++)
    for (let tap = 0; tap < kernel; tap++) columns[tap * count + filter] = filters[filter * kernel + tap]!;
  return columns;
}
