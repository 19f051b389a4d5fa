import { joinSamples, sampleNameOf, type WebDatasetSample } from "../formats/tar/read-web-dataset.ts";
import { makeDataset, makeLocalDataset } from "./core/make-dataset.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";
import { openStore } from "./source/open-store.ts";
import { isRemote, type RemoteOption } from "./source/remote-address.ts";
import { openTarIndex } from "./tar/tar-index.ts";
import { TarRows } from "./tar/tar-rows.ts";

/** Options of {@link openTar}. */
export interface OpenTarOptions {
  /** Decodes `json` to its value and `txt`, `text`, `cls` to strings instead of bytes. Default: false, all are bytes. */
  readonly decode?: boolean;
  /** Where the index is kept. Default: beside the file, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
}

const known = ["decode", "indexDir"] as const;

/**
 * Opens an archive of the WebDataset form. A row is a sample: the consecutive files with the same name up to the first
 * dot, by their extensions, and `__key__`, which is its id. The index is built once, from the headers of the archive.
 *
 * ```ts
 * await using samples = await openTar("shard-000000.tar");
 * const { __key__, wav } = samples.at(7);
 * ```
 */
export function openTar(
  path: string | OpenerSection<OpenTarOptions & RemoteOption>,
  options: OpenTarOptions & RemoteOption,
): Promise<Dataset<WebDatasetSample>>;
export function openTar(
  path: string | OpenerSection<OpenTarOptions>,
  options: OpenTarOptions & { readonly decode: true },
): Promise<LocalDataset<WebDatasetSample>>;
export function openTar(
  path: string | OpenerSection<OpenTarOptions>,
  options?: OpenTarOptions,
): Promise<LocalDataset<WebDatasetSample<Uint8Array>>>;
export async function openTar(
  path: string | OpenerSection<OpenTarOptions>,
  options?: OpenTarOptions,
): Promise<Dataset<WebDatasetSample>> {
  const given = readOpenerArguments<OpenTarOptions>("openTar", [path, options], known);
  const rows = await openTarRows(given.path, { grouping: "keys", indexDir: given.options.indexDir });
  const sampleAt = (row: number) =>
    rows.read(row, (files, source) => {
      const [sample] = joinSamples(source, files, given.options);
      return sample ?? raise(rows.changed(row));
    });
  const keyAt = (row: number) =>
    rows.read(row, (files) => {
      for (const { kind, name } of files)
        if (kind === "file") return sampleNameOf(name)?.key ?? raise(rows.changed(row));
      return raise(rows.changed(row));
    });
  const { name, length, digest } = rows;
  const facts = { name, length, digest, close: () => rows.close() };
  if (isRemote(given.path)) return makeDataset({ ...facts, readRow: sampleAt, readId: keyAt });
  return makeLocalDataset({ ...facts, readRow: atOnce(sampleAt), readId: atOnce(keyAt) });
}

/** Opens an archive and its index. */
export async function openTarRows(path: string, options: Parameters<typeof openTarIndex>[1]): Promise<TarRows> {
  const store = await openStore(path);
  try {
    return new TarRows(store, await openTarIndex(store, options));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Files of this machine are read without a promise. */
function atOnce<T>(read: (row: number) => T | Promise<T>): (row: number) => T {
  return (row) => {
    const value = read(row);
    if (value instanceof Promise) throw new Error("a file of this machine was read asynchronously");
    return value;
  };
}

function raise(error: Error): never {
  throw error;
}
