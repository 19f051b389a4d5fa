/** What a run needs to know of a dataset: `run(dataset)` runs all of its rows. */
export interface DatasetItems {
  readonly [datasetMark]: true;
  readonly length: number;
  /** Which rows they are, and in which order: part of the run's identity. */
  readonly digest: string;
  /** Whether its rows have ids of their own; otherwise an id is the index as a text. */
  readonly hasIds: boolean;
  id(index: number): string | Promise<string>;
}

// Recognised by a symbol and not by its class, because two copies of the package in one program have two classes.
export const datasetMark: unique symbol = Symbol.for("millrace.dataset");

/** Whether a value is a dataset of `millrace/datasets`. */
export function isDataset(value: unknown): value is DatasetItems {
  return typeof value === "object" && value !== null && datasetMark in value;
}
