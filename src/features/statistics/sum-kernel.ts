import * as w from "../../wasm/wasm-code.ts";
import { hasWasm, makeInstance } from "../../wasm/wasm-instance.ts";

/** Sums one block of rows. It has its own memory: rows are copied in, sums are read from it. */
export interface SumKernel {
  readonly input: Float32Array;
  readonly sum: Float64Array;
  readonly sumSquare: Float64Array;
  readonly run: (rows: number) => void;
}

/** Columns of one pass over the rows: eight sums and eight sums of squares fit the registers. */
const stripColumns = 8;
/** Above this a block does not fit the caches, and the kernel is not faster. */
const maxColumns = 2048;

/** True if there is a kernel for this many columns. */
export function hasSumKernel(columns: number): boolean {
  return hasWasm && columns >= 1 && columns <= maxColumns;
}

/**
 * Generates the program for one number of columns. Each column is summed row after row in float64, like a plain loop,
 * so the result is identical to the loop's; lanes hold different columns and are never combined.
 */
export function makeSumKernel({ columns, blockRows }: { columns: number; blockRows: number }): SumKernel {
  const strips = Math.ceil(columns / stripColumns);
  const squaresAt = strips * stripColumns * 8;
  const inputAt = 2 * squaresAt;
  // The last strip reads beyond its row; the sums there are ignored.
  const bytes = inputAt + 4 * (blockRows * columns + stripColumns);
  const { memory, run } = makeInstance(
    assemble({ columns, strips, squaresAt, inputAt, pages: Math.ceil(bytes / 65_536) }),
  );
  return {
    input: new Float32Array(memory.buffer, inputAt, blockRows * columns),
    sum: new Float64Array(memory.buffer, 0, columns),
    sumSquare: new Float64Array(memory.buffer, squaresAt, columns),
    run,
  };
}

interface Layout {
  readonly columns: number;
  readonly strips: number;
  readonly squaresAt: number;
  readonly inputAt: number;
  readonly pages: number;
}

function assemble({ columns, strips, squaresAt, inputAt, pages }: Layout): Uint8Array<ArrayBuffer> {
  const rows = 0;
  const locals = w.makeLocals();
  const [strip, row, first, at, out] = [locals.i32(), locals.i32(), locals.i32(), locals.i32(), locals.i32()];
  const pairs = Array.from({ length: stripColumns / 2 }, (_, i) => ({
    offset: 8 * i,
    value: locals.v128(),
    sum: locals.v128(),
    square: locals.v128(),
  }));
  const body = [
    w.set(first, w.int(inputAt)),
    w.set(out, w.int(0)),
    w.repeat(strip, w.int(strips), [
      ...pairs.flatMap(({ sum, square }) => [w.set(sum, w.splatInt(0)), w.set(square, w.splatInt(0))]),
      w.set(at, w.get(first)),
      w.repeat(row, w.get(rows), [
        ...pairs.flatMap(({ offset, value, sum, square }) => [
          w.set(value, w.loadAsDoubles(at, offset)),
          w.set(sum, w.addDoubles(w.get(sum), w.get(value))),
          w.set(square, w.addDoubles(w.get(square), w.mulDoubles(w.get(value), w.get(value)))),
        ]),
        w.advance(at, 4 * columns),
      ]),
      ...pairs.flatMap(({ offset, sum, square }) => [
        w.store(out, 2 * offset, w.get(sum)),
        w.store(out, squaresAt + 2 * offset, w.get(square)),
      ]),
      w.advance(first, 4 * stripColumns),
      w.advance(out, 8 * stripColumns),
    ]),
  ];
  return w.assembleModule(pages, [{ locals, body }]);
}
