import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { safeFileName } from "../../formats.ts";
import {
  type FilePrefix,
  type LineWriter,
  MillraceError,
  type ShardFile,
  textWriter,
  type Writer,
  type WriterCheckpoint,
} from "../../index.ts";
import type { ArtifactWriter, Encoded } from "./artifact-writer.ts";
import { checkOutput } from "./check-output.ts";
import { encodeValue } from "./encode-artifact.ts";
import type { CheckedInferenceOptions } from "./inference-options.ts";
import { formatOutputLine } from "./output-line.ts";
import { readOutputScp } from "./read-output-scp.ts";

export interface InferenceWriterOptions {
  readonly shardDir: string;
  readonly shardId: number;
  readonly options: CheckedInferenceOptions;
  /** The user's writers, by key. */
  readonly writers: ReadonlyMap<string, ArtifactWriter>;
}

/** What the next attempt needs: file and token of each key's list; all other files are artifacts. */
interface Token {
  readonly lists: Readonly<Record<string, { readonly file: string; readonly token: unknown }>>;
}

/**
 * Writes the outputs of one shard: a line in `key.scp` for each key of each output, and a file below `key/` if the
 * value is not text. Nothing of an output is written before all of it is known to be writable.
 */
export class InferenceWriter implements Writer<unknown> {
  private readonly place: InferenceWriterOptions;
  private readonly lists = new Map<string, LineWriter<string>>();
  private readonly artifacts: (FilePrefix & ShardFile)[] = [];
  private readonly ids = new Set<string>();
  private readonly folders = new Set<string>();

  constructor(place: InferenceWriterOptions) {
    this.place = place;
  }

  /** The written keys, in the order of their first occurrence. */
  get keys(): string[] {
    return [...this.lists.keys()];
  }

  async write(output: unknown): Promise<void> {
    const { options, shardId } = this.place;
    const { id, values } = checkOutput(output, options);
    if (this.ids.has(id)) throw duplicateId(id, options.idxKey);
    const ready = await this.encodeAll(id, values);
    this.ids.add(id);
    for (const [key, encoded] of ready) {
      let text: string;
      if ("text" in encoded) text = encoded.text;
      else {
        const name = `${key}/${"path" in encoded ? basename(encoded.path) : `${safeFileName(id)}${encoded.extension}`}`;
        if ("path" in encoded) this.addWritten(name);
        else this.writeArtifact(name, encoded.bytes);
        // Relative to the run folder, where the merged list is, so that the folder can be moved.
        text = `split.${shardId}/${name}`;
      }
      this.listOf(key).write(formatOutputLine({ id, value: text }));
    }
  }

  /** All values of an output. Where one of them fails, files that the user's writers have written are removed. */
  private async encodeAll(id: string, values: ReadonlyMap<string, unknown>): Promise<(readonly [string, Encoded])[]> {
    const { options, writers, shardDir } = this.place;
    const ready: (readonly [string, Encoded])[] = [];
    try {
      for (const [key, value] of values) {
        const outputPath = resolve(shardDir, key, safeFileName(id));
        const context = { key, id, options: options.outputArtifacts[key], writer: writers.get(key), outputPath };
        ready.push([key, await encodeValue(value, context)]);
      }
      return ready;
    } catch (error) {
      for (const [, encoded] of ready) if ("path" in encoded) rmSync(encoded.path, { force: true });
      throw error;
    }
  }

  checkpoint(): WriterCheckpoint {
    const files: FilePrefix[] = [...this.artifacts];
    const lists: Record<string, { file: string; token: unknown }> = {};
    for (const [key, list] of this.lists) {
      const saved = list.checkpoint();
      for (const file of saved.files) lists[key] = { file: file.name, token: saved.token };
      files.push(...saved.files);
    }
    return { files, token: { lists } satisfies Token };
  }

  restore({ files, token }: WriterCheckpoint): void {
    const { lists } = token as Token;
    const byName = new Map(files.map((file) => [file.name, file]));
    for (const [key, { file, token: listToken }] of Object.entries(lists)) {
      this.listOf(key).restore({ files: [byName.get(file)!], token: listToken });
      byName.delete(file);
      for (const { id } of readOutputScp(join(this.place.shardDir, file))) this.ids.add(id);
    }
    for (const { name, bytes, crc32: digest } of byName.values()) this.artifacts.push({ name, bytes, crc32: digest! });
  }

  close(): void {
    for (const list of this.lists.values()) list.close();
  }

  files(): readonly ShardFile[] {
    return [...this.artifacts, ...[...this.lists.values()].flatMap((list) => list.files())];
  }

  private listOf(key: string): LineWriter<string> {
    const known = this.lists.get(key);
    if (known !== undefined) return known;
    const list = textWriter(this.place.shardDir, `${key}.scp`);
    this.lists.set(key, list);
    return list;
  }

  private writeArtifact(name: string, bytes: Uint8Array): void {
    const path = join(this.place.shardDir, name);
    const folder = dirname(path);
    if (!this.folders.has(folder)) mkdirSync(folder, { recursive: true });
    this.folders.add(folder);
    const fd = openSync(path, "w");
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
    this.artifacts.push({ name, bytes: bytes.length, crc32: hexOf(crc32(bytes)) });
  }

  /** Notes a file that the user's writer has written. */
  private addWritten(name: string): void {
    const fd = openSync(join(this.place.shardDir, name), "r");
    const piece = Buffer.allocUnsafe(pieceBytes);
    let [bytes, digest] = [0, 0];
    try {
      for (let count = readSync(fd, piece); count > 0; count = readSync(fd, piece)) {
        digest = crc32(piece.subarray(0, count), digest);
        bytes += count;
      }
    } finally {
      closeSync(fd);
    }
    this.artifacts.push({ name, bytes, crc32: hexOf(digest) });
  }
}

// A file of any size is read without holding it in memory.
const pieceBytes = 1 << 16;

function hexOf(digest: number): string {
  return digest.toString(16).padStart(8, "0");
}

function duplicateId(id: string, idxKey: string): MillraceError {
  return new MillraceError("BAD_RECORD", `The id ${JSON.stringify(id)} has been there before.`, {
    hint: `Each item needs an id of its listToken under "${idxKey}": its results are found by it.`,
  });
}
