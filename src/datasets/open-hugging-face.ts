import { MillraceError } from "../errors/errors.ts";
import { concatDatasets } from "./concat-datasets.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset } from "./dataset.ts";
import type { DatasetFiles } from "./hugging-face/dataset-files.ts";
import { findSplits, isMedia, isMetadata } from "./hugging-face/find-splits.ts";
import { folderFiles } from "./hugging-face/folder-files.ts";
import { hubFiles } from "./hugging-face/hub-files.ts";
import { mediaRows, metadataRows } from "./hugging-face/media-rows.ts";
import { type CardConfig, readCard } from "./hugging-face/read-card.ts";
import { openCsv } from "./open-csv.ts";
import { openJsonl } from "./open-jsonl.ts";
import { openParquetWith } from "./open-parquet.ts";
import { openTsv } from "./open-tsv.ts";
import { GroupCache, groupCacheBytes } from "./parquet/group-cache.ts";
import { isRemote, withoutSecrets } from "./source/remote-address.ts";

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
 * Opens a dataset as the Hugging Face library lays it out, a folder or a repository of the hub (`hf://datasets/owner/name`):
 * Parquet, JSONL, CSV or TSV files, or audio and picture files with `metadata.csv`. Splits and configurations are those of its
 * card (README.md), otherwise the words train, validation and test in the names of the files decide. An `Audio` or `Image` is
 * `{ bytes, path }`; of a file on the hub it holds the bytes, of one in a folder the path.
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
  const given = readOpenerArguments<OpenHuggingFaceOptions>("openHuggingFace", [path, options], known, {
    // Its rows may be promises in any case.
    takesAddresses: true,
  });
  const files = await filesOf(given.path);
  const config = chooseConfig(files.name, readCard(files.card), given.options.config);
  const splits = findSplits(
    files.files.map(({ name }) => name),
    config,
  );
  return openFiles<Row>(files, chooseSplit(files.name, splits, given.options.split), given.options);
}

async function filesOf(path: string): Promise<DatasetFiles> {
  if (!isRemote(path)) return folderFiles(path);
  if (path.startsWith("hf://")) return hubFiles(path);
  throw new MillraceError(
    "BAD_OPTION",
    `openHuggingFace: ${withoutSecrets(path)} is neither a folder nor a dataset of the hub.`,
    {
      hint: "Servers list no files. Write hf://datasets/owner/name, or open one file with openParquet or openJsonl.",
    },
  );
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
  files: DatasetFiles,
  names: readonly string[],
  options: OpenHuggingFaceOptions,
): Promise<Dataset<Row>> {
  const metadata = names.filter(isMetadata);
  const media = names.filter(isMedia);
  const tables = names.filter((name) => !isMedia(name) && !isMetadata(name));
  if (media.length > 0 && metadata.length === 0 && tables.length === 0) return mediaRows<Row>(media, files);
  const open = tableOpener<Row>(options);
  const parts = await openTogether(
    media.length > 0 ? metadata : [...tables, ...metadata],
    openAtOnce(files),
    async (name) => {
      const rows = await open(files.place(name));
      return media.length > 0 ? metadataRows<Row>(rows, name, files) : rows;
    },
  );
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : concatDatasets(parts);
}

/** A file of this machine may build its index with all cores; one on the hub waits for answers. */
function openAtOnce({ isLocal }: DatasetFiles): number {
  return isLocal ? 1 : 8;
}

/** Opens several files in order, some of them at the same time; if one cannot be opened, the others are closed. */
async function openTogether<Row>(
  names: readonly string[],
  atOnce: number,
  open: (name: string) => Promise<Dataset<Row>>,
): Promise<Dataset<Row>[]> {
  const parts = new Array<Dataset<Row> | undefined>(names.length);
  const failures: unknown[] = [];
  let next = 0;
  const openSome = async (): Promise<void> => {
    while (next < names.length && failures.length === 0) {
      const at = next++;
      try {
        parts[at] = await open(names[at]!);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, openSome));
  if (failures.length === 0) return parts as Dataset<Row>[];
  await Promise.all(parts.map((part) => part?.close()));
  throw failures[0];
}

function tableOpener<Row>({ columns, id, indexDir }: OpenHuggingFaceOptions): (place: string) => Promise<Dataset<Row>> {
  const byId = { ...(id !== undefined && { id }), remote: true } as const;
  const lines = { ...byId, ...(indexDir !== undefined && { indexDir }) };
  // One cache for all files, however many there are.
  const cache = new GroupCache(groupCacheBytes);
  return (place) => {
    if (/\.parquet$/i.test(place))
      return openParquetWith<Row>(place, { ...byId, ...(columns !== undefined && { columns }) }, cache);
    if (/\.csv(?:\.\w+)?$/i.test(place)) return openCsv<Row>(place, lines);
    if (/\.tsv(?:\.\w+)?$/i.test(place)) return openTsv<Row>(place, lines);
    return openJsonl<Row>(place, lines);
  };
}
