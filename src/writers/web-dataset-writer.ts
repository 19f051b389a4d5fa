import { basename, join } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import { tarEnd } from "../formats/tar/encode-tar-entry.ts";
import { encodeWebDatasetSample } from "../formats/tar/encode-web-dataset-sample.ts";
import type { WebDatasetSample } from "../formats/tar/read-web-dataset.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import { GrowingFile } from "./growing-file.ts";
import { jsonlWriter } from "./jsonl-writer.ts";
import type { LineWriter } from "./line-writer.ts";
import { withoutLines } from "./path-list.ts";
import { partsName, writeParts } from "./shard-parts.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The names of the tar files, and their maximum size. */
export interface WebDatasetShardOptions {
  /**
   * The archives are `name-000000.tar` and so on; `name.samples.jsonl` gives the position of each sample. May contain a
   * folder.
   */
  readonly name: string;
  /** The maximum number of samples of an archive. Default: 10,000. */
  readonly maxSamples?: number;
  /** The maximum bytes of an archive; a single sample may be larger. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/** The position of a sample: its entries are `bytes` from `offset` on. */
export interface SamplePlace {
  readonly key: string;
  /** The archive, relative to the list's folder. */
  readonly part: string;
  readonly offset: number;
  readonly bytes: number;
}

interface Part {
  readonly file: GrowingFile;
  samples: number;
}

interface Token {
  readonly lines: unknown;
  readonly samples: readonly number[];
  readonly lastKey: string;
}

/** The samples of a shard in tar archives, as WebDataset reads them. */
export class WebDatasetShardWriter implements Writer<WebDatasetSample>, Disposable {
  private readonly shardDir: string;
  private readonly options: Required<WebDatasetShardOptions>;
  private readonly list: LineWriter<SamplePlace>;
  private readonly parts: Part[] = [];
  private partList: ShardFile[] = [];
  private lastKey = "";
  private isClosed = false;

  constructor(shardDir: string, { name, maxSamples = 10_000, maxBytes = 2 ** 30 }: WebDatasetShardOptions) {
    requirePositive("maxSamples", maxSamples);
    requirePositive("maxBytes", maxBytes);
    this.shardDir = shardDir;
    this.options = { name, maxSamples, maxBytes };
    this.list = jsonlWriter(shardDir, `${name}.samples.jsonl`);
  }

  write(sample: WebDatasetSample): void {
    const bytes = encodeWebDatasetSample(sample);
    const { __key__: key } = sample;
    if (key === this.lastKey) throw sameKey(key);
    const part = this.partFor(bytes.length);
    this.list.write({ key, part: basename(part.file.name), offset: part.file.bytes, bytes: bytes.length });
    part.file.append(bytes);
    part.samples++;
    this.lastKey = key;
  }

  checkpoint(): WriterCheckpoint {
    const { files, token: lines } = this.list.checkpoint();
    const token: Token = { lines, samples: this.parts.map(({ samples }) => samples), lastKey: this.lastKey };
    return { files: [...files, ...this.parts.flatMap(({ file }) => file.checkpoint())], token };
  }

  restore({ files: [list, ...archives], token }: WriterCheckpoint): void {
    if (list === undefined) return;
    const { lines, samples, lastKey } = token as Token;
    this.list.restore({ files: [list], token: lines });
    this.lastKey = lastKey;
    for (const [i, archive] of archives.entries()) {
      const part = this.addPart();
      part.samples = samples[i]!;
      part.file.restore(archive);
      if (i < archives.length - 1) part.file.close();
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.list.close();
    this.endPart();
    if (this.parts.length === 0) return;
    const parts = this.parts.map(({ file, samples }) => {
      const [{ bytes, crc32 }] = file.files() as [ShardFile];
      return { path: basename(file.name), rows: samples, bytes, crc32 };
    });
    const { name } = this.options;
    this.partList = [writeParts(join(this.shardDir, partsName(name)), name, { parts })];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    const archives = this.parts.flatMap(({ file }) => file.files());
    return [...withoutLines(this.list.files()), ...archives, ...this.partList];
  }

  /** The archive of the next sample. */
  private partFor(sampleBytes: number): Part {
    const { maxSamples, maxBytes } = this.options;
    const current = this.parts.at(-1);
    if (current === undefined) return this.addPart();
    const isFull = current.samples >= maxSamples || current.file.bytes + sampleBytes + tarEnd.length > maxBytes;
    if (!isFull) return current;
    this.endPart();
    return this.addPart();
  }

  private addPart(): Part {
    const number = String(this.parts.length).padStart(6, "0");
    const file = new GrowingFile(this.shardDir, checkFileName(`${this.options.name}-${number}.tar`));
    const part = { file, samples: 0 };
    this.parts.push(part);
    return part;
  }

  private endPart(): void {
    const file = this.parts.at(-1)?.file;
    file?.append(tarEnd);
    file?.close();
  }
}

/** Readers treat consecutive files with one key as one sample. */
function sameKey(key: string): MillraceError {
  return new MillraceError("BAD_RECORD", `Two samples with the key ${JSON.stringify(key)} follow each other.`, {
    hint: "Keys must be unique: readers would take the two for one sample.",
  });
}

function requirePositive(name: string, value: number): void {
  if (value > 0) return;
  throw new MillraceError("BAD_OPTION", `${name} should be above 0, and is ${value}.`, {
    hint: "Leave it out for the default.",
  });
}

/**
 * Samples as tar archives of WebDataset, with a list of their positions. With checkpoints; `mergeWebDataset` keeps the
 * archives as parts of one data set, with an index.
 */
export function webDatasetWriter(shardDir: string, options: WebDatasetShardOptions): WebDatasetShardWriter {
  return new WebDatasetShardWriter(shardDir, options);
}
