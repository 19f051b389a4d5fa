import type { datasetMark } from "../plan/dataset-items.ts";

/**
 * Rows that are read when they are asked for: a dataset holds an index, not the data. Views (`slice`, `select`, `map`,
 * `shuffle`, `filter`) share the files of the dataset that they were made from.
 */
export interface Dataset<Row> extends AsyncIterable<Row>, AsyncDisposable {
  readonly [datasetMark]: true;
  readonly length: number;
  /**
   * Which rows these are, and in which order, as a short text: the identity of a run holds it. A copy of a file has the
   * digest of the original, and `map` changes none.
   */
  readonly digest: string;
  /** Whether it is a {@link LocalDataset}: rows and ids are there at once. */
  readonly isLocal: boolean;
  /** Whether rows have ids of their own; otherwise an id is the index as a text. */
  readonly hasIds: boolean;
  /** The ids of all rows, read as they are asked for. */
  readonly ids: AsyncIterable<string>;
  /** One row. An index that is no whole number from 0 to `length - 1` is an error. */
  at(index: number): Row | Promise<Row>;
  /** Several rows, in the order of the indices. Neighbours are read together. */
  get(indices: Iterable<number>): Promise<Row[]>;
  id(index: number): string | Promise<string>;
  /** The rows from `start` up to, not including, `end`; negative numbers count from the end, as in arrays. */
  slice(start?: number, end?: number): Dataset<Row>;
  /** The rows at these indices, in this order; an index may come twice. */
  select(indices: Iterable<number>): Dataset<Row>;
  /** Each row through a function, when it is read. */
  map<Out>(change: (row: Row, index: number) => Promise<Out>): Dataset<Out>;
  map<Out>(change: (row: Row, index: number) => Out): Dataset<Out>;
  /** The rows for which `keep` returns true: reads all rows once, and holds four bytes for each that is kept. */
  filter(keep: (row: Row, index: number) => boolean | Promise<boolean>): Promise<Dataset<Row>>;
  /** The same rows in an order that only `seed` and `length` decide. It is computed, not stored. */
  shuffle(seed: number): Dataset<Row>;
  /** Closes the files of this dataset and of all its views. A second call does nothing. */
  close(): Promise<void>;
}

/** A dataset of local files: a row is there at once, without a promise. */
export interface LocalDataset<Row> extends Dataset<Row> {
  readonly isLocal: true;
  readonly ids: AsyncIterable<string> & Iterable<string>;
  at(index: number): Row;
  id(index: number): string;
  slice(start?: number, end?: number): LocalDataset<Row>;
  select(indices: Iterable<number>): LocalDataset<Row>;
  map<Out>(change: (row: Row, index: number) => Promise<Out>): Dataset<Out>;
  map<Out>(change: (row: Row, index: number) => Out): LocalDataset<Out>;
  filter(keep: (row: Row, index: number) => boolean | Promise<boolean>): Promise<LocalDataset<Row>>;
  shuffle(seed: number): LocalDataset<Row>;
}

/** What a reader of a format implements; `makeDataset` makes a {@link Dataset} of it. Indices are checked before. */
export interface RowSource<Row> {
  /** The file, folder or address, for messages. */
  readonly name: string;
  readonly length: number;
  /** See {@link Dataset.digest}: of the content, not of the place or the time. */
  readonly digest: string;
  readRow(index: number): Row | Promise<Row>;
  /** Several rows in one read where they are neighbours. Default: one `readRow` after the other. */
  readRows?(indices: readonly number[]): Promise<Row[]>;
  /** The rows from `from` up to, not including, `end`, in order and read ahead. Left out where that is of no use. */
  readRuns?(from: number, end: number): RowRuns<Row>;
  /** The id of a row. Left out where rows have none. */
  readId?(index: number): string | Promise<string>;
  close(): void | Promise<void>;
}

/** Rows in order, some of them at a time. */
export interface RowRuns<Row> {
  /** The next rows. The ones before them are no longer asked for. */
  next(): Promise<RowRun<Row>>;
}

/** Some rows whose bytes are here, at least one. */
export interface RowRun<Row> {
  readonly length: number;
  /** The row at a place of the run. */
  readonly at: (place: number) => Row | Promise<Row>;
}

/** A source whose rows are there at once. */
export interface LocalRowSource<Row> extends RowSource<Row> {
  readRow(index: number): Row;
  readId?(index: number): string;
}
