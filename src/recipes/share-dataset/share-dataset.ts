import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { MillraceError } from "../../index.ts";
import { copyDataset } from "./copy-dataset.ts";
import { type DatasetCard, defaultCard } from "./dataset-card.ts";
import { listDatasetFiles } from "./list-dataset-files.ts";
import { type HubTarget, uploadDataset } from "./upload-dataset.ts";

/** The destination of a dataset: a folder, or a repository of a hub. */
export type ShareTarget = { readonly folder: string; readonly replace?: boolean } | HubTarget;

/** Which files are shared, and the card. */
export interface ShareOptions {
  /** The text of README.md, or a function that creates it. Default: the dataset's README.md, or a short one. */
  readonly card?: DatasetCard;
  /** Which files are included, by their path in the folder. Default: all except hidden and unfinished ones. */
  readonly include?: (path: string) => boolean;
}

/** The destination and content of a shared dataset. */
export interface SharedDataset {
  /** The folder, or the address of the last commit. */
  readonly place: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Shares a dataset with its card: into a folder (complete or not at all, and never over something else) or into a
 * dataset repository of the Hugging Face hub. The source folder is only read.
 */
export async function shareDataset(
  dir: string,
  target: ShareTarget,
  options: ShareOptions = {},
): Promise<SharedDataset> {
  const files = listDatasetFiles(dir, options.include ?? (() => true));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const name = basename(resolve(dir));
  const readme = files.find(({ path }) => path === "README.md");
  const chosen = options.card ?? (readme === undefined ? defaultCard : readFileSync(readme.source, "utf8"));
  const card = typeof chosen === "string" ? chosen : await chosen({ name, files, bytes });
  if (typeof card !== "string" || card.trim() === "") {
    throw new MillraceError("BAD_OPTION", "The card of a dataset is empty.", {
      hint: "Pass its text, or a function that returns it, as `card`.",
    });
  }
  if ("folder" in target) {
    copyDataset({ dir, target: target.folder, files, card, replace: target.replace ?? false });
    return { place: resolve(target.folder), files: files.length, bytes };
  }
  const place = await uploadDataset({ target, files, card, message: target.message ?? `Upload ${name}` });
  return { place, files: files.length, bytes };
}
