import { MillraceError } from "../../errors/errors.ts";
import type { Bytes } from "../byte-source.ts";
import { openFileSource } from "../file-source.ts";
import type { NdArray } from "../nd-array.ts";
import { openZip, type ZipOptions } from "../zip/open-zip.ts";
import { readZipEntry } from "../zip/read-zip-entry.ts";
import { decodeNpy } from "./decode-npy.ts";

/** The arrays of an npz file; each is read on demand. */
export interface Npz {
  readonly names: readonly string[];
  get(name: string): NdArray;
}

const suffix = ".npy";

/** Opens the arrays of an npz file: only the directory is read. */
export function decodeNpz(input: Bytes, options: ZipOptions = {}): Npz {
  const archive = openZip(input, options);
  const names = [...archive.entries.keys()].filter((key) => key.endsWith(suffix)).map((key) => key.slice(0, -4));
  return {
    names,
    get(name) {
      const entry = archive.entries.get(name + suffix);
      if (entry !== undefined) return decodeNpy(readZipEntry(archive, entry), `${archive.source.name}:${entry.name}`);
      throw new MillraceError("BAD_FILE", `${archive.source.name} holds no array ${JSON.stringify(name)}.`, {
        hint: names.length === 0 ? "It holds none at all." : `It holds ${names.slice(0, 10).join(", ")}.`,
      });
    },
  };
}

/** The same for a file on disk, which stays open until `close`. */
export function openNpz(path: string, options: ZipOptions = {}): Npz & Disposable & { close(): void } {
  const source = openFileSource(path);
  try {
    const close = (): void => source.close();
    return { ...decodeNpz(source, options), close, [Symbol.dispose]: close };
  } catch (error) {
    source.close();
    throw error;
  }
}
