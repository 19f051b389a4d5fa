import { dirname, join, resolve, sep } from "node:path";
import { sha256 } from "../../bytes/sha256.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { isPlainObject } from "../../values/state-json.ts";
import { makeLocalDataset } from "../core/make-dataset.ts";
import type { Dataset } from "../dataset.ts";

/** An `Audio` or `Image` of Hugging Face: bytes in the file itself, or the path of another. */
export interface HuggingFaceFile {
  readonly bytes: Uint8Array | null;
  readonly path: string | null;
}

const pictures = /\.(?:jpe?g|png|webp|gif|bmp|tiff?)$/i;

/** The rows of a metadata file: each names a file beside it, which becomes `audio` or `image`. */
export function metadataRows<Row>(
  metadata: Dataset<unknown>,
  { folder, name }: { readonly folder: string; readonly name: string },
): Dataset<Row> {
  const base = resolve(folder, dirname(name));
  return metadata.map((row, index): Row => {
    const file = isPlainObject(row) ? row["file_name"] : undefined;
    if (!isPlainObject(row) || typeof file !== "string")
      throw refuseFile(join(folder, name), undefined, `row ${index} has no file_name`);
    const path = resolve(base, file);
    if (!path.startsWith(`${base}${sep}`))
      throw refuseFile(
        join(folder, name),
        undefined,
        `row ${index} names ${JSON.stringify(file.slice(0, 100))}, which is outside of its folder`,
      );
    const { file_name: _file, ...rest } = row;
    const content: HuggingFaceFile = { bytes: null, path };
    return { [pictures.test(file) ? "image" : "audio"]: content, ...rest } as Row;
  });
}

/** Media files without metadata; the folder of each is its label where there are several. */
export function mediaRows<Row>(names: readonly string[], folder: string): Dataset<Row> {
  const labels = names.map((name) => dirname(name).split("/").at(-1)!);
  const areLabelled = new Set(labels).size > 1;
  return makeLocalDataset<Row>({
    name: folder,
    length: names.length,
    digest: `media ${names.length} files, sha256 ${sha256(names.join("\0")).slice(0, 16)}`,
    readRow: (index) => {
      const content: HuggingFaceFile = { bytes: null, path: resolve(folder, names[index]!) };
      const row = {
        [pictures.test(names[index]!) ? "image" : "audio"]: content,
        ...(areLabelled && { label: labels[index]! }),
      };
      return row as Row;
    },
    readId: (index) => names[index]!,
    close: () => {},
  });
}
