import { type Dataset, isDataset } from "../../datasets.ts";
import { findProjectRoot, instantiate, MillraceError, positionOf, type Shape, shape } from "../../index.ts";

/** A section of a config that opens a dataset: `{ _target_: millrace/datasets#openKaldi, path: data/train }`. */
export interface DatasetTarget {
  readonly _target_: string;
  readonly [key: string]: unknown;
}

export const datasetTarget: Shape<DatasetTarget> = {
  ...(shape.object({ _target_: shape.string() }, { others: shape.any() }) as Shape<DatasetTarget>),
  expected: "a section with the _target_ of a dataset",
};

/** Opens the dataset that a section describes. */
export async function openDatasetTarget(section: DatasetTarget, projectRoot: string): Promise<Dataset<unknown>> {
  const made = await instantiate<unknown>(section, { projectRoot });
  if (isDataset(made)) return made;
  throw new MillraceError("BAD_TARGET", `${section._target_} gave no dataset.`, {
    hint: "Name an opener (millrace/datasets#openJsonl), or a function of the project that returns a dataset of one.",
  });
}

// Enough to hide the reads of a network behind the work on other rows (`npm run bench -- slow-reads`).
const openCalls = 4;

/** Options of a run over the dataset of a section: rows that come over a network are read while others are computed. */
export function optionsForRows(section: unknown): { readonly concurrency?: number } {
  const isRemote = typeof section === "object" && section !== null && "remote" in section && section.remote === true;
  return isRemote ? { concurrency: openCalls } : {};
}

/** What messages call the dataset of a section. */
export function nameOfTarget({ path, _target_ }: DatasetTarget): string {
  return typeof path === "string" ? path : _target_;
}

/** The folder that the `_target_`s of a config are resolved against. Workers get the config as data, without its origin. */
export function projectRootOf(config: object): string {
  const source = positionOf(config)?.source;
  return source === undefined ? process.cwd() : findProjectRoot(source);
}
