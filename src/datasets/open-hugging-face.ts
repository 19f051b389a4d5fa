import { join } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import { concatDatasets } from "./concat-datasets.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset } from "./dataset.ts";
import { listFiles } from "./folder/list-files.ts";
import { findSplits, isMedia, isMetadata } from "./hugging-face/find-splits.ts";
import { mediaRows, metadataRows } from "./hugging-face/media-rows.ts";
import { type CardConfig, readCard } from "./hugging-face/read-card.ts";
import { openCsv } from "./open-csv.ts";
import { openJsonl } from "./open-jsonl.ts";
import { openParquet } from "./open-parquet.ts";
import { openTsv } from "./open-tsv.ts";

/** Options of {@link openHuggingFace}. */
export interface OpenHuggingFaceOptions {
  /** Which split. Default: the only one; an error if there are several. */
  readonly split?: string;
  /** Which configuration of the card. Default: the only one, or the one that is marked as the default. */
  readonly config?: string;
  /** The columns of Parquet files that rows have. Default: all. */
  readonly columns?: readonly string[];
  /** The column that holds the id of a row. Default: the index is the id. */
  readonly id?: string;
  /** Where indexes are kept. Default: beside the files, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
}

const known = ["split", "config", "columns", "id", "indexDir"] as const;

/**
 * Opens the folder of a dataset as the Hugging Face library lays it out: Parquet, JSONL, CSV or TSV files, or audio and
 * picture files with `metadata.csv`. Splits and configurations are those of its card (README.md), otherwise the words
 * train, validation and test in the names of the files decide. An `Audio` or `Image` is `{ bytes, path }`.
 *
 * ```ts
 * await using train = await openHuggingFace<{ audio: HuggingFaceFile; text: string }>("corpus", { split: "train" });
 * const { audio } = await train.at(7);
 * ```
 */
export async function openHuggingFace<Row = Record<string, unknown>>(
  path: string | OpenerSection<OpenHuggingFaceOptions>,
  options?: OpenHuggingFaceOptions,
): Promise<Dataset<Row>> {
  const given = readOpenerArguments<OpenHuggingFaceOptions>("openHuggingFace", [path, options], known);
  const config = chooseConfig(given.path, readCard(given.path), given.options.config);
  const names = listFiles(given.path, () => true).map(({ name }) => name);
  const splits = findSplits(names, config);
  const files = chooseSplit(given.path, splits, given.options.split);
  return openFiles<Row>(given.path, files, given.options);
}

function chooseConfig(
  folder: string,
  configs: readonly CardConfig[],
  asked: string | undefined,
): CardConfig | undefined {
  if (configs.length === 0 && (asked === undefined || asked === "default")) return undefined;
  const found =
    asked === undefined
      ? configs.length === 1
        ? configs[0]
        : configs.find(({ isDefault }) => isDefault)
      : configs.find(({ name }) => name === asked);
  if (found !== undefined) return found;
  throw noChoice(
    folder,
    "config",
    asked,
    configs.map(({ name }) => name),
  );
}

function chooseSplit(folder: string, splits: ReadonlyMap<string, string[]>, asked: string | undefined): string[] {
  const files = asked === undefined && splits.size === 1 ? [...splits.values()][0] : splits.get(asked ?? "");
  if (files === undefined) throw noChoice(folder, "split", asked, [...splits.keys()]);
  if (files.length > 0) return files;
  throw new MillraceError("BAD_FILE", `${folder} has no files of the split ${asked ?? [...splits.keys()][0]}.`, {
    hint: "Parquet, JSONL, CSV, TSV, audio and picture files are read. Check the patterns of its README.md.",
  });
}

function noChoice(folder: string, what: string, asked: string | undefined, names: readonly string[]): MillraceError {
  const problem = asked === undefined ? `has several ${what}s` : `has no ${what} ${JSON.stringify(asked)}`;
  return new MillraceError("BAD_OPTION", `openHuggingFace: ${folder} ${problem}.`, {
    hint:
      names.length === 0
        ? `It has none: leave ${what} out.`
        : `Choose one with { ${what} }: ${names.slice(0, 50).join(", ")}.`,
  });
}

async function openFiles<Row>(
  folder: string,
  files: readonly string[],
  options: OpenHuggingFaceOptions,
): Promise<Dataset<Row>> {
  const metadata = files.filter(isMetadata);
  const media = files.filter(isMedia);
  const tables = files.filter((name) => !isMedia(name) && !isMetadata(name));
  if (media.length > 0 && metadata.length === 0 && tables.length === 0) return mediaRows<Row>(media, folder);
  const chosen = media.length > 0 ? metadata : [...tables, ...metadata];
  const parts: Dataset<Row>[] = [];
  try {
    for (const name of chosen) {
      const rows = await openData<Row>(join(folder, name), options);
      parts.push(media.length > 0 ? metadataRows<Row>(rows, { folder, name }) : rows);
    }
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : concatDatasets(parts);
}

function openData<Row>(path: string, { columns, id, indexDir }: OpenHuggingFaceOptions): Promise<Dataset<Row>> {
  const byId = { ...(id !== undefined && { id }) };
  const options = { ...byId, ...(indexDir !== undefined && { indexDir }) };
  if (/\.parquet$/i.test(path)) return openParquet<Row>(path, { ...byId, ...(columns !== undefined && { columns }) });
  if (/\.csv(?:\.\w+)?$/i.test(path)) return openCsv<Row>(path, options);
  if (/\.tsv(?:\.\w+)?$/i.test(path)) return openTsv<Row>(path, options);
  return openJsonl<Row>(path, options);
}
