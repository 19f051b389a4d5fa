import { renameSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../../shared/errors.ts";
import type { FileSink } from "../file-sink.ts";
import { openFileSource } from "../file-source.ts";
import { openSink } from "../open-sink.ts";
import { tarEnd } from "./encode-tar-entry.ts";
import { encodeWebDatasetSample } from "./encode-web-dataset-sample.ts";
import { type ReadWebDatasetOptions, readWebDataset, type WebDatasetSample } from "./read-web-dataset.ts";

/** The samples of a shard file; the file is closed when the loop over them ends. */
export function* readWebDatasetFile(path: string, options: ReadWebDatasetOptions = {}): Generator<WebDatasetSample> {
  const file = openFileSource(path);
  try {
    yield* readWebDataset(file, options);
  } finally {
    file.close();
  }
}

/** How tar files are named, and when the next one begins. */
export interface WebDatasetWriterOptions {
  /** Shards are named `<prefix>-000000.tar` and so on. Default: `shard`. */
  readonly prefix?: string;
  /** The number of the first shard. Default: 0. */
  readonly firstShard?: number;
  /** The most samples of a shard. Default: 10,000. */
  readonly maxSamples?: number;
  /** The most bytes of a shard; one sample may be larger than this. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/** What became of a shard: a line of an index. */
export interface WebDatasetShard {
  readonly name: string;
  readonly samples: number;
  readonly sizeBytes: number;
}

/** Writes samples into tar files, one after the other. */
export interface WebDatasetWriter {
  write(sample: WebDatasetSample): void;
  /** Ends the last shard; returns all of them. */
  close(): readonly WebDatasetShard[];
}

/** Writes samples to shards in a folder. A shard appears under its name when it is whole. */
export function openWebDatasetWriter(folder: string, options: WebDatasetWriterOptions = {}): WebDatasetWriter {
  const { prefix = "shard", firstShard = 0, maxSamples = 10_000, maxBytes = 2 ** 30 } = options;
  requirePositive("maxSamples", maxSamples);
  requirePositive("maxBytes", maxBytes);
  const shards: WebDatasetShard[] = [];
  let isOpen = true;
  let current: { readonly file: FileSink; readonly name: string; samples: number } | undefined;
  const end = (): void => {
    if (current === undefined) return;
    const { file, name, samples } = current;
    current = undefined;
    file.write(tarEnd);
    file.close();
    renameSync(file.path, join(folder, name));
    shards.push({ name, samples, sizeBytes: file.bytes });
  };
  return {
    write: (sample) => {
      if (!isOpen)
        throw new MillraceError("WRITER_FAILED", `Shards in ${folder} were written to after they were closed.`, {
          hint: "Close it once, after the last record.",
        });
      const bytes = encodeWebDatasetSample(sample);
      const isFull = (shard: NonNullable<typeof current>): boolean =>
        shard.samples >= maxSamples || shard.file.bytes + bytes.length + tarEnd.length > maxBytes;
      if (current !== undefined && isFull(current)) end();
      if (current === undefined) {
        const name = `${prefix}-${String(firstShard + shards.length).padStart(6, "0")}.tar`;
        current = { file: openSink(join(folder, `${name}.tmp`)), name, samples: 0 };
      }
      current.file.write(bytes);
      current.samples++;
    },
    close: () => {
      isOpen = false;
      end();
      return shards;
    },
  };
}

function requirePositive(name: string, value: number): void {
  if (value > 0) return;
  throw new MillraceError("BAD_OPTION", `${name} should be above 0, and is ${value}.`, {
    hint: "Leave it out for the default.",
  });
}
