import { join } from "node:path";
import { sha256 } from "../bytes/sha256.ts";
import { MillraceError } from "../errors/errors.ts";
import { makeLocalDataset } from "./core/make-dataset.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { LocalDataset } from "./dataset.ts";
import { listFiles } from "./folder/list-files.ts";
import { matchPattern } from "./folder/match-pattern.ts";
import { isRemote, withoutSecrets } from "./source/remote-address.ts";

/** A file of a folder. Its content is read by what uses it: `readAudio(row.path)`. */
export interface FolderRow {
  /** Below the folder, with slashes; it is the row's id. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
}

/** Options of {@link openFolder}. */
export interface FolderOptions {
  /** Which files: `*` and `?` within a name, `**` for any folders, `{a,b}` for one of several. Default: all files. */
  readonly pattern?: string;
}

/**
 * The files below a folder, in the order of their names. The digest is of names and sizes: contents are not read.
 *
 * ```ts
 * const recordings = await openFolder("corpus", { pattern: "wav/*.{wav,flac}" });
 * ```
 */
export async function openFolder(
  path: string | OpenerSection<FolderOptions>,
  options?: FolderOptions,
): Promise<LocalDataset<FolderRow>> {
  const given = readOpenerArguments<FolderOptions>("openFolder", [path, options], ["pattern"]);
  const { pattern = "**/*" } = given.options;
  if (isRemote(given.path)) {
    throw new MillraceError(
      "BAD_OPTION",
      `openFolder: ${withoutSecrets(given.path)} is an address; a folder was expected.`,
      {
        hint: "Servers list no files. openHuggingFace opens a repository of the hub; for others make a list and open that.",
      },
    );
  }
  const files = listFiles(given.path, matchPattern(pattern));
  const names = packNames(files.map(({ name }) => name));
  const sizes = Float64Array.from(files, ({ sizeBytes }) => sizeBytes);
  const digest = sha256(Buffer.concat([names.bytes, Buffer.from(sizes.buffer)])).slice(0, 16);
  return makeLocalDataset<FolderRow>({
    name: given.path,
    length: files.length,
    digest: `folder ${files.length} files, sha256 ${digest}`,
    readRow: (index) => {
      const name = names.at(index);
      return { name, path: join(given.path, name), sizeBytes: sizes[index]! };
    },
    readId: (index) => names.at(index),
    close: () => {},
  });
}

/** Names in one buffer: a million of them as texts would take three times the memory. */
function packNames(names: readonly string[]): { readonly bytes: Buffer; at(index: number): string } {
  const bytes = Buffer.from(names.map((name) => `${name}\0`).join(""));
  const ends = new Float64Array(names.length);
  for (let i = 0, at = 0; i < names.length; i++, at++) {
    at = bytes.indexOf(0, at);
    ends[i] = at;
  }
  return { bytes, at: (index) => bytes.toString("utf8", index === 0 ? 0 : ends[index - 1]! + 1, ends[index]!) };
}
