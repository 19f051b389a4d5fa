import { messageOf } from "../../shared/errors.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import { refuseFile } from "../refuse-file.ts";
import { readTar, type TarEntry } from "./read-tar.ts";

/** The files of one sample by their extensions (`wav`, `json`, `seg.npy`), and its key. */
export interface WebDatasetSample<Value = unknown> {
  readonly __key__: string;
  readonly [extension: string]: Value | string;
}

/** How the files of a sample are decoded. */
export interface ReadWebDatasetOptions {
  /** Gives `json` as its value and `txt`, `text`, `cls` as text instead of bytes. Default: false, all are bytes. */
  readonly decode?: boolean;
}

/** The samples of a shard: files that follow each other and have the same name up to the first dot. */
export function readWebDataset(
  input: Bytes,
  options: ReadWebDatasetOptions & { readonly decode: true },
): Generator<WebDatasetSample>;
export function readWebDataset(input: Bytes, options?: ReadWebDatasetOptions): Generator<WebDatasetSample<Uint8Array>>;
export function* readWebDataset(
  input: Bytes,
  { decode = false }: ReadWebDatasetOptions = {},
): Generator<WebDatasetSample> {
  const source = toByteSource(input);
  let sample: Record<string, unknown> & { __key__: string } = { __key__: "" };
  let begun = false;
  for (const entry of readTar(source)) {
    const [, key, name] = /^((?:.*\/)?[^./]+)\.([^/]*)$/s.exec(entry.name) ?? [];
    if (entry.kind !== "file" || key === undefined || name === undefined) continue;
    if (begun && key !== sample.__key__) yield sample;
    if (!begun || key !== sample.__key__) sample = { __key__: key };
    begun = true;
    const extension = name.toLowerCase();
    if (extension.startsWith("__") || Object.hasOwn(sample, extension)) {
      throw refuseFile(
        source.name,
        entry.offset,
        `${JSON.stringify(entry.name)} comes twice or has a reserved extension`,
      );
    }
    sample[extension] = decode ? decodeFile(entry, extension, source.name) : entry.read();
  }
  if (begun) yield sample;
}

function decodeFile(entry: TarEntry, extension: string, file: string): unknown {
  const last = extension.slice(extension.lastIndexOf(".") + 1);
  if (last !== "json" && last !== "txt" && last !== "text" && last !== "cls") return entry.read();
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(entry.read());
    return last === "json" ? (JSON.parse(text) as unknown) : text;
  } catch (cause) {
    throw refuseFile(file, entry.offset, `${JSON.stringify(entry.name)} cannot be decoded: ${messageOf(cause)}`, {
      cause,
    });
  }
}
