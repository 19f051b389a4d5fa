import { MillraceError } from "../../errors/errors.ts";
import type { CmvnStats } from "../normalise/global-cmvn.ts";
import { remember } from "../remember.ts";
import { addExactly, type ExactSum, mergeExactly } from "./exact-sum.ts";
import { roundExact } from "./round-exact.ts";
import { hasSumKernel, makeSumKernel, type SumKernel } from "./sum-kernel.ts";

/**
 * Sums of the columns of a corpus so far. Plain data: it can be stored in a runner's state. Merging parts of a corpus
 * in any order and grouping gives the same totals, to the last bit.
 */
export interface FrameSums {
  readonly columns: number;
  count: number;
  readonly sum: ExactSum;
  readonly sumSquare: ExactSum;
}

// Rows that are summed in float64 before they are added to the exact sums: enough to make those cheap, few enough that
// the rounding error is below 6e-14. Another number changes the last bits.
const blockRows = 512;
/** Several narrow rows are processed at a time, so that all lanes are used. */
const wideColumns = 16;
const narrowColumns = 8;

/** Empty sums over frames with this many columns. */
export function makeFrameSums(columns: number): FrameSums {
  return { columns, count: 0, sum: [], sumSquare: [] };
}

/** Adds the rows of one utterance. The added value depends on these rows alone, not on earlier ones. */
export function addFrames(sums: FrameSums, data: Float32Array | Float64Array, rows: number): void {
  const { columns } = sums;
  if (data.length !== rows * columns) throw wrongSize(data.length, rows, columns);
  const fold = columns > 0 && columns < narrowColumns ? Math.floor(wideColumns / columns) : 1;
  const wide = columns * fold;
  const wideRows = Math.floor(rows / fold);
  for (let done = 0; done < wideRows; done += blockRows) {
    const block = Math.min(blockRows, wideRows - done);
    addBlock(sums, sumBlock(data, done * wide, { rows: block, columns: wide }), wide);
  }
  const rest = rows - wideRows * fold;
  if (rest > 0) addBlock(sums, sumPlainly(data, wideRows * wide, { rows: rest, columns }), columns);
  sums.count += rows;
}

/** Adds the sums of a block. Its rows may be several narrow ones side by side. */
function addBlock({ columns, sum, sumSquare }: FrameSums, block: BlockSums, wide: number): void {
  if (columns === 0) return;
  for (let lane = 0; lane < wide; lane += columns) {
    addExactly(sum, block.sum, lane, columns);
    addExactly(sumSquare, block.sumSquare, lane, columns);
  }
}

/** Adds the sums of another part of the corpus. */
export function mergeFrameSums(into: FrameSums, from: FrameSums): void {
  if (into.columns !== from.columns) {
    throw new MillraceError("BAD_RECORD", `Sums of ${from.columns} columns cannot be added to ${into.columns}.`, {
      hint: "They have to come from features made with the same options.",
    });
  }
  mergeExactly(into.sum, from.sum);
  mergeExactly(into.sumSquare, from.sumSquare);
  into.count += from.count;
}

/** The sums as numbers, each rounded once, in the form that `globalCmvn` takes. */
export function frameTotals({ columns, count, sum, sumSquare }: FrameSums): CmvnStats & {
  readonly sum: Float64Array;
  readonly sumSquare: Float64Array;
} {
  return { count, sum: roundExact(sum, columns), sumSquare: roundExact(sumSquare, columns) };
}

interface Block {
  readonly rows: number;
  readonly columns: number;
}

interface BlockSums {
  readonly sum: Float64Array;
  readonly sumSquare: Float64Array;
}

const kernelFor = remember(makeSumKernel);
let latest: { readonly columns: number; readonly kernel: SumKernel } | undefined;

/** The kernel for this many columns, usually the same as for the previous utterance. */
function kernelOf(columns: number): SumKernel {
  if (latest?.columns !== columns) latest = { columns, kernel: kernelFor({ columns, blockRows }) };
  return latest.kernel;
}

function sumBlock(data: Float32Array | Float64Array, from: number, { rows, columns }: Block): BlockSums {
  if (data instanceof Float64Array || !hasSumKernel(columns)) return sumPlainly(data, from, { rows, columns });
  const kernel = kernelOf(columns);
  kernel.input.set(data.subarray(from, from + rows * columns));
  kernel.run(rows);
  return kernel;
}

/** The same sums without a kernel: each column row after row. */
export function sumPlainly(data: Float32Array | Float64Array, from: number, { rows, columns }: Block): BlockSums {
  const sum = new Float64Array(columns);
  const sumSquare = new Float64Array(columns);
  for (let row = 0, i = from; row < rows; row++) {
    for (let column = 0; column < columns; column++, i++) {
      const value = data[i]!;
      sum[column] = sum[column]! + value;
      sumSquare[column] = sumSquare[column]! + value * value;
    }
  }
  return { sum, sumSquare };
}

function wrongSize(length: number, rows: number, columns: number): MillraceError {
  return new MillraceError("BAD_RECORD", `${length} numbers are not ${rows} rows of ${columns} columns.`, {
    hint: "Give the rows one after the other, all of the width the sums were made for.",
  });
}
