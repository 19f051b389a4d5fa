import { posix } from "node:path";
import { sha256 } from "../../bytes/sha256.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { isPathWithin } from "../../hub/hub-names.ts";
import { isPlainObject } from "../../values/state-json.ts";
import { makeDataset, makeLocalDataset } from "../core/make-dataset.ts";
import type { Dataset } from "../dataset.ts";
import type { DatasetFiles } from "./dataset-files.ts";

const pictures = /\.(?:jpe?g|png|webp|gif|bmp|tiff?)$/i;

/** The rows of a metadata file: each names a file beside it, which becomes `audio` or `image`. */
export function metadataRows<Row>(metadata: Dataset<unknown>, name: string, files: DatasetFiles): Dataset<Row> {
  const bad = (index: number, problem: string) => refuseFile(files.place(name), undefined, `row ${index} ${problem}`);
  return metadata.map((row, index): Row | Promise<Row> => {
    const file = isPlainObject(row) ? row["file_name"] : undefined;
    if (!isPlainObject(row) || typeof file !== "string") throw bad(index, "has no file_name");
    const inside = posix.normalize(file);
    if (!isPathWithin(inside))
      throw bad(index, `names ${JSON.stringify(file.slice(0, 100))}, which is outside of its folder`);
    const { file_name: _file, ...rest } = row;
    return withMedia(posix.join(posix.dirname(name), inside), files, rest) as Row | Promise<Row>;
  }) as Dataset<Row>;
}

/** Media files without metadata; the folder of each is its label where there are several. */
export function mediaRows<Row>(names: readonly string[], files: DatasetFiles): Dataset<Row> {
  const labels = names.map((name) => posix.dirname(name).split("/").at(-1)!);
  const areLabelled = new Set(labels).size > 1;
  const sizes = new Map(files.files.map(({ name, sizeBytes }) => [name, sizeBytes]));
  const listed = names.map((name) => `${name}\0${sizes.get(name)}`).join("\0");
  const source = {
    name: files.name,
    length: names.length,
    digest: `media ${names.length} files, sha256 ${sha256(listed).slice(0, 16)}`,
    readRow: (index: number) => withMedia(names[index]!, files, areLabelled ? { label: labels[index]! } : {}) as Row,
    readId: (index: number) => names[index]!,
    close: () => {},
  };
  return files.isLocal ? makeLocalDataset<Row>(source) : makeDataset<Row>(source);
}

function withMedia(name: string, files: DatasetFiles, rest: Record<string, unknown>): unknown {
  const key = pictures.test(name) ? "image" : "audio";
  const media = files.media(name);
  return media instanceof Promise ? media.then((come) => ({ [key]: come, ...rest })) : { [key]: media, ...rest };
}
