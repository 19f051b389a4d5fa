import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { MillraceError } from "../../index.ts";
import { audioPath, type ManifestColumn, manifestColumns } from "../manifest-columns.ts";

/** One row of a manifest. */
export interface ManifestRow {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** Empty if the manifest names none. */
  readonly speaker: string;
  /** Line number from 1. */
  readonly line: number;
}

/** The rows of a manifest. They stay bytes until they are read: a million of them fit into a worker. */
export class Manifest implements Iterable<readonly [uttId: string, wavPath: string]> {
  /** `[utt_id, wav_path]` of a row, as in ESPnet3's list of pairs. */
  readonly [idx: number]: readonly [uttId: string, wavPath: string];
  readonly path: string;
  /** The names of the first line, if it is a header. */
  readonly header: readonly string[] | undefined;
  private readonly bytes: Buffer;
  private readonly starts: readonly number[];
  private readonly lines: readonly number[];
  private readonly columns: Readonly<Record<ManifestColumn, number>>;

  constructor(path: string, bytes: Buffer) {
    this.path = path;
    this.bytes = bytes;
    const starts: number[] = [];
    const lines: number[] = [];
    let at = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
    for (let line = 1; at < bytes.length; line++) {
      const end = endOfLine(bytes, at);
      if (!isBlank(bytes, at, end)) {
        starts.push(at);
        lines.push(line);
      }
      at = end + 1;
    }
    this.starts = starts;
    this.lines = lines;
    const first = starts.length === 0 ? [] : this.fieldsAt(0);
    this.header = first[0]?.toLowerCase() === "utt_id" ? first.map((name) => name.trim().toLowerCase()) : undefined;
    if (this.header !== undefined) {
      starts.shift();
      lines.shift();
    }
    const positionOf = (name: ManifestColumn) => (this.header ?? manifestColumns).indexOf(name as never);
    this.columns = Object.fromEntries(manifestColumns.map((name) => [name, positionOf(name)])) as Record<
      ManifestColumn,
      number
    >;
  }

  /** Number of utterances. */
  get length(): number {
    return this.starts.length;
  }

  /** All of one row; `manifest[idx]` has its id and path alone. */
  at(idx: number): ManifestRow {
    const fields = this.fieldsAt(idx);
    const field = (name: ManifestColumn) => fields[this.columns[name]] ?? "";
    return {
      id: field("utt_id"),
      path: audioPath(field("wav_path"), this.path),
      text: field("text"),
      speaker: field("speaker_id"),
      line: this.lineOf(idx),
    };
  }

  *[Symbol.iterator](): Generator<readonly [uttId: string, wavPath: string]> {
    for (let idx = 0; idx < this.length; idx++) yield this[idx]!;
  }

  lineOf(idx: number): number {
    return this.lines[idx] ?? 0;
  }

  fieldsAt(idx: number): string[] {
    return this.row(idx).toString("utf8").split("\t");
  }

  isText(idx: number): boolean {
    return isUtf8(this.row(idx));
  }

  /** A digest of what the vectors depend on, so that a resumed run detects another manifest. Texts may change. */
  digest(): string {
    const hash = createHash("sha256");
    for (let idx = 0; idx < this.length; idx++) {
      const { id, path, speaker } = this.at(idx);
      hash.update(`${id}\t${path}\t${speaker}\n`);
    }
    return hash.digest("hex");
  }

  private row(idx: number): Buffer {
    const start = this.starts[idx]!;
    const end = endOfLine(this.bytes, start);
    return this.bytes.subarray(start, end > start && this.bytes[end - 1] === 13 ? end - 1 : end);
  }
}

// There are no elements, because the rows stay bytes: `manifest[idx]` is computed when neither the object nor its class has
// such a property. A proxy in front of the object would make every other access slow.
const pairs = new Proxy(Object.prototype, {
  get(target, key, manifest: unknown): unknown {
    const isIndex = typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key);
    if (!isIndex || !(manifest instanceof Manifest)) return Reflect.get(target, key, manifest);
    if (Number(key) >= manifest.length) return undefined;
    const { id, path } = manifest.at(Number(key));
    return [id, path] as const;
  },
});
Object.setPrototypeOf(Manifest.prototype, pairs);

/** Reads a manifest: `utt_id TAB wav_path TAB text TAB speaker_id`, with or without a header, LF or CRLF, UTF-8. */
export function readManifest(path: string): Manifest {
  try {
    return new Manifest(path, readFileSync(path));
  } catch (cause) {
    throw new MillraceError("BAD_FILE", `The manifest ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
      hint: "Check xvector.manifest_paths and xvector.splits: a split that is not in manifest_paths is read from data/manifest/SPLIT.tsv. Paths are relative to the folder that the command is started in.",
    });
  }
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(10, from);
  return end === -1 ? bytes.length : end;
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 13 && bytes[i] !== 32) return false;
  return true;
}
