import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { withFileSource } from "../../formats/file-source.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { listFiles } from "../folder/list-files.ts";
import type { DatasetFiles } from "./dataset-files.ts";
import { maxCardBytes } from "./read-card.ts";

/** The files of a dataset in a folder of this machine. */
export function folderFiles(folder: string): DatasetFiles {
  return {
    name: folder,
    files: listFiles(folder, () => true),
    card: cardIn(join(folder, "README.md")),
    isLocal: true,
    place: (name) => join(folder, name),
    media: (name) => ({ bytes: null, path: resolve(folder, name) }),
  };
}

function cardIn(place: string): DatasetFiles["card"] {
  if (!existsSync(place)) return undefined;
  const text = withFileSource(place, (file) => {
    if (file.size > maxCardBytes) throw refuseFile(place, 0, `a card of ${file.size} bytes is too long`);
    return file.read(0, file.size).toString("utf8");
  });
  return { place, text };
}
