import { messageOf } from "../../errors/errors.ts";
import { outputLimit } from "../../input/output-limit.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { parseJson } from "../parse-json.ts";
import { refuseFile } from "../refuse-file.ts";
import { readTar, type TarEntry } from "./read-tar.ts";

/** The files of one sample by their extensions (`wav`, `json`, `seg.npy`), and its key. */
export interface WebDatasetSample<Value = unknown> {
  readonly __key__: string;
  readonly [extension: string]: Value | string;
}

/** Options of {@link readWebDataset}. */
export interface ReadWebDatasetOptions {
  /**
   * Decodes `json` to its value and `txt`, `text`, `cls` to strings instead of bytes. Default: false, all are bytes.
   */
  readonly decode?: boolean;
}

/** The samples of a shard: consecutive files with the same name up to the first dot. */
export function readWebDataset(
  input: Bytes,
  options: ReadWebDatasetOptions & { readonly decode: true },
): Generator<WebDatasetSample>;
export function readWebDataset(input: Bytes, options?: ReadWebDatasetOptions): Generator<WebDatasetSample<Uint8Array>>;
export function readWebDataset(input: Bytes, options: ReadWebDatasetOptions = {}): Generator<WebDatasetSample> {
  const source = toByteSource(input);
  return joinSamples(source, readTar(source), options);
}

/** The key of a file's sample, and its name there. Undefined for a file that belongs to none. */
export function sampleNameOf(file: string): { readonly key: string; readonly extension: string } | undefined {
  const [, key, name] = /^((?:.*\/)?[^./]+)\.([^/]*)$/s.exec(file) ?? [];
  return key === undefined || name === undefined ? undefined : { key, extension: name.toLowerCase() };
}

/** Puts consecutive entries of one key together. */
export function* joinSamples(
  source: ByteSource,
  entries: Iterable<TarEntry>,
  { decode = false }: ReadWebDatasetOptions,
): Generator<WebDatasetSample> {
  let sample: Record<string, unknown> & { __key__: string } = { __key__: "" };
  let begun = false;
  for (const entry of entries) {
    const named = entry.kind === "file" ? sampleNameOf(entry.name) : undefined;
    if (named === undefined) continue;
    const { key, extension } = named;
    if (begun && key !== sample.__key__) yield sample;
    if (!begun || key !== sample.__key__) sample = { __key__: key };
    begun = true;
    if (extension.startsWith("__") || Object.hasOwn(sample, extension)) {
      throw refuseFile(
        source.name,
        entry.offset,
        `${JSON.stringify(entry.name)} comes twice or has a reserved extension`,
      );
    }
    sample[extension] = decode ? decodeFile(entry, extension, source) : entry.read();
  }
  if (begun) yield sample;
}

function decodeFile(entry: TarEntry, extension: string, source: ByteSource): unknown {
  const last = extension.slice(extension.lastIndexOf(".") + 1);
  if (last !== "json" && last !== "txt" && last !== "text" && last !== "cls") return entry.read();
  const what = JSON.stringify(entry.name);
  const text = decodeText(entry, what, source);
  if (last !== "json") return text;
  return parseJson(text, { file: source.name, offset: entry.offset, what, limit: outputLimit(source.size) });
}

function decodeText(entry: TarEntry, what: string, source: ByteSource): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(entry.read());
  } catch (cause) {
    throw refuseFile(source.name, entry.offset, `${what} cannot be decoded: ${messageOf(cause)}`, { cause });
  }
}
