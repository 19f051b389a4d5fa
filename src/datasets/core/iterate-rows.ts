import { isThenable } from "../../runtime/is-thenable.ts";
import type { RowRun, RowRuns, RowSource } from "../dataset.ts";

// A batch of rows is asked for while the one before it is worked on.
const batchRows = 256;

/** All rows one after the other. Rows that are not there at once are read ahead in batches. */
export function iterateRows<Row>(source: RowSource<Row>): AsyncIterator<Row> {
  if (source.length === 0) return iterateTexts<Row>(0, (index) => source.readRow(index));
  const first = source.readRow(0);
  if (isThenable(first)) {
    // It is read again with its neighbours; a source keeps what it has just read.
    Promise.resolve(first).catch(() => {});
    return readAhead(source);
  }
  const { length } = source;
  return source.readRuns === undefined
    ? iterateTexts(length, (index) => source.readRow(index))
    : iterateRuns(source.readRuns(0, length), length);
}

/** Rows of runs: each is waited for, so that other work of the process is done meanwhile. */
function iterateRuns<Row>(runs: RowRuns<Row>, length: number): AsyncIterator<Row> {
  let [left, place] = [length, 0];
  let run: RowRun<Row> | undefined;
  let coming: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    run = await runs.next();
    [place, coming] = [0, undefined];
  };
  const next = (): Promise<IteratorResult<Row>> => {
    if (left === 0) return Promise.resolve({ value: undefined, done: true });
    if (coming === undefined && (run === undefined || place === run.length)) coming = load();
    if (coming !== undefined) return coming.then(next);
    left--;
    try {
      const value = run!.at(place++);
      if (value instanceof Promise) return value.then((come) => ({ value: come, done: false }));
      return Promise.resolve({ value, done: false });
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return {
    next,
    return() {
      left = 0;
      return Promise.resolve({ value: undefined, done: true });
    },
  };
}

/** What a function returns for 0 … length - 1. Not a generator: that would cost two more turns of the queue a row. */
export function iterateTexts<T>(length: number, read: (index: number) => T | Promise<T>): AsyncIterator<T> {
  let index = 0;
  return {
    next() {
      if (index >= length) return Promise.resolve({ value: undefined, done: true });
      try {
        const value = read(index++);
        if (value instanceof Promise) return value.then((come) => ({ value: come, done: false }));
        return Promise.resolve({ value, done: false });
      } catch (error) {
        return Promise.reject(error);
      }
    },
    return() {
      index = length;
      return Promise.resolve({ value: undefined, done: true });
    },
  };
}

async function* readAhead<Row>(source: RowSource<Row>): AsyncGenerator<Row> {
  const batch = (start: number): Promise<Row[]> | undefined => {
    if (start >= source.length) return undefined;
    const indices = Array.from({ length: Math.min(batchRows, source.length - start) }, (_, i) => start + i);
    const rows = readAll(source, indices);
    // An error is thrown where the batch is awaited, and must not end the process before.
    rows.catch(() => {});
    return rows;
  };
  let next = batch(0);
  for (let start = 0; next !== undefined; start += batchRows) {
    const rows = await next;
    next = batch(start + batchRows);
    yield* rows;
  }
}

/** Several rows; those of a source without `readRows` are asked for together. */
export async function readAll<Row>(source: RowSource<Row>, indices: readonly number[]): Promise<Row[]> {
  return source.readRows === undefined
    ? Promise.all(indices.map((index) => source.readRow(index)))
    : source.readRows(indices);
}
