import { statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Dataset, LocalDataset } from "../../datasets.ts";
import { MillraceError, type Shape, shape } from "../../index.ts";
import { maybe } from "../maybe.ts";
import { type DatasetTarget, nameOfTarget, openDatasetTarget } from "./dataset-target.ts";
import { type RowPlace, type SpeechColumns, type SpeechRow, speechRow } from "./speech-row.ts";

export const speechColumns: Shape<SpeechColumns> = shape.object({
  id: maybe(shape.string()),
  audio: maybe(shape.string()),
  text: maybe(shape.string()),
  speaker: maybe(shape.string()),
});

/** Opens the dataset of a section, with its rows as utterances. Ids and digest are those of the dataset. */
export async function openSpeechRows(
  section: DatasetTarget,
  { columns, projectRoot }: { readonly columns: SpeechColumns; readonly projectRoot: string },
): Promise<Dataset<SpeechRow>> {
  const dataset = await openDatasetTarget(section, projectRoot);
  const common = { name: nameOfTarget(section), columns, resolvePath: pathResolver(section) };
  const place = (index: number, id: string): RowPlace => ({ ...common, index, id: dataset.hasIds ? id : undefined });
  if (isLocal(dataset)) return dataset.map((row, index) => speechRow(row, place(index, dataset.id(index))));
  return dataset.map(async (row, index) => speechRow(row, place(index, await dataset.id(index))));
}

function isLocal(dataset: Dataset<unknown>): dataset is LocalDataset<unknown> {
  return dataset.isLocal;
}

/** Relative paths count from the dataset's folder, as those of a manifest do. */
function pathResolver({ path }: DatasetTarget): (relative: string) => string {
  const isHere = typeof path === "string" && !/^\w+:\/\//.test(path);
  const isFolder = isHere && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  return (relative) => {
    if (isAbsolute(relative)) return relative;
    if (isHere) return resolve(isFolder ? path : dirname(path), relative);
    throw new MillraceError(
      "BAD_RECORD",
      `${JSON.stringify(relative)} is relative, and the dataset has no folder here.`,
      {
        hint: "Use absolute paths, or a dataset that holds the audio itself.",
      },
    );
  };
}
