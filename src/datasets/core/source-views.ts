import { sha256 } from "../../bytes/sha256.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import type { LocalRowSource, RowRuns, RowSource } from "../dataset.ts";

/** Which row of the source is at an index of a view. */
export interface RowOrder {
  readonly length: number;
  /** How the view was made, for the digest. */
  readonly label: string;
  /** The first of its rows where they are neighbours in the source. */
  readonly first?: number;
  readonly at: (index: number) => number;
}

/** The rows of a source in another order, or some of them. */
export function reorder<Row>(source: LocalRowSource<Row>, order: RowOrder): LocalRowSource<Row>;
export function reorder<Row>(source: RowSource<Row>, order: RowOrder): RowSource<Row>;
export function reorder<Row>(source: RowSource<Row>, { length, label, first, at }: RowOrder): RowSource<Row> {
  return {
    name: source.name,
    length,
    digest: `${source.digest} ${label}`,
    readRow: (index) => source.readRow(at(index)),
    ...(source.readRows === undefined ? {} : { readRows: (indices) => source.readRows!(indices.map(at)) }),
    ...(source.readRuns === undefined || first === undefined
      ? {}
      : { readRuns: (from, end) => source.readRuns!(first + from, first + end) }),
    ...(source.readId === undefined ? {} : { readId: (index) => source.readId!(at(index)) }),
    close: () => source.close(),
  };
}

/** The order of a list of indices. */
export function orderOfList(indices: Uint32Array | Float64Array, word: string): RowOrder {
  const digest = sha256(new Uint8Array(indices.buffer, indices.byteOffset, indices.byteLength)).slice(0, 16);
  return {
    length: indices.length,
    label: `${word} ${indices.length} (${digest})`,
    at: (index) => indices[index] ?? 0,
  };
}

/** The rows of a source through a function. */
export function changeRows<Row, Out>(
  source: LocalRowSource<Row>,
  change: (row: Row, index: number) => Out,
): LocalRowSource<Out>;
export function changeRows<Row, Out>(
  source: RowSource<Row>,
  change: (row: Row, index: number) => Out | Promise<Out>,
): RowSource<Out>;
export function changeRows<Row, Out>(
  source: RowSource<Row>,
  change: (row: Row, index: number) => Out | Promise<Out>,
): RowSource<Out> {
  return {
    name: source.name,
    length: source.length,
    digest: source.digest,
    readRow: (index) => {
      const row = source.readRow(index);
      return isThenable(row) ? Promise.resolve(row).then((come) => change(come, index)) : change(row, index);
    },
    ...(source.readRows === undefined
      ? {}
      : {
          readRows: async (indices) => {
            const rows = await source.readRows!(indices);
            return Promise.all(rows.map((row, i) => change(row, indices[i]!)));
          },
        }),
    ...(source.readRuns === undefined
      ? {}
      : { readRuns: (from, end) => changeRuns(source.readRuns!(from, end), from, change) }),
    ...(source.readId === undefined ? {} : { readId: (index) => source.readId!(index) }),
    close: () => source.close(),
  };
}

function changeRuns<Row, Out>(
  runs: RowRuns<Row>,
  from: number,
  change: (row: Row, index: number) => Out | Promise<Out>,
): RowRuns<Out> {
  let end = from;
  return {
    async next() {
      const { length, at } = await runs.next();
      const first = end;
      end += length;
      const changed = (place: number): Out | Promise<Out> => {
        const row = at(place);
        return isThenable(row)
          ? Promise.resolve(row).then((come) => change(come, first + place))
          : change(row, first + place);
      };
      return { length, at: changed };
    },
  };
}
