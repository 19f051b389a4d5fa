import { dirname, resolve } from "node:path";
import { type FileSource, openFileSource, withFileSource } from "../file-source.ts";
import { refuseFile } from "../refuse-file.ts";
import type { KaldiTextOptions, KaldiValue } from "./kaldi-value.ts";
import { type ParseScpOptions, parseScp } from "./parse-scp.ts";
import { readKaldiValue } from "./read-kaldi-value.ts";
import type { ScpEntry } from "./scp-line.ts";

/** Options of {@link openScp}. */
export interface OpenScpOptions extends KaldiTextOptions, ParseScpOptions {
  /**
   * The folder for relative paths of the list. Default: the list's folder. Kaldi's own scripts write paths relative to
   * the folder they were started in: pass that one.
   */
  readonly baseDir?: string;
}

/** A list of values in files, read one by one when they are asked for. */
export interface ScpTable extends Iterable<readonly [key: string, value: KaldiValue]>, Disposable {
  readonly entries: readonly ScpEntry[];
  has(key: string): boolean;
  /** The value of a key; a missing key is an error. */
  get(key: string): KaldiValue;
  close(): void;
}

/** Archives that are kept open: values of one archive usually follow each other. */
const maxOpen = 8;

/** Opens an scp list for random access. Pipes and commands in it are refused. */
export function openScp(scpPath: string, options: OpenScpOptions = {}): ScpTable {
  const entries = withFileSource(scpPath, (file) => parseScp(file, options));
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const baseDir = options.baseDir ?? dirname(scpPath);
  const files = new Map<string, FileSource>();
  const fileOf = (path: string): FileSource => {
    const file = files.get(path) ?? openFileSource(path);
    files.delete(path);
    files.set(path, file);
    if (files.size > maxOpen) closeOldest(files);
    return file;
  };
  const read = ({ path, offset, range }: ScpEntry): KaldiValue =>
    readKaldiValue(fileOf(resolve(baseDir, path)), offset, { ...options, ...(range !== undefined && { range }) });
  const close = (): void => {
    while (files.size > 0) closeOldest(files);
  };
  return {
    entries,
    has: (key) => byKey.has(key),
    get: (key) => read(byKey.get(key) ?? notThere(scpPath, key)),
    *[Symbol.iterator]() {
      for (const entry of entries) yield [entry.key, read(entry)] as const;
    },
    close,
    [Symbol.dispose]: close,
  };
}

function closeOldest(files: Map<string, FileSource>): void {
  const [path, file] = files.entries().next().value!;
  files.delete(path);
  file.close();
}

function notThere(scpPath: string, key: string): never {
  throw refuseFile(scpPath, undefined, `has no key ${JSON.stringify(key)}`, { hint: "Ask with has(key) first." });
}
