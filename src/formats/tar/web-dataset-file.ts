import { renameSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../../errors/errors.ts";
import type { FileSink } from "../file-sink.ts";
import { openFileSource } from "../file-source.ts";
import { openSink } from "../open-sink.ts";
import { tarEnd } from "./encode-tar-entry.ts";
import { encodeWebDatasetSample } from "./encode-web-dataset-sample.ts";
import { type ReadWebDatasetOptions, readWebDataset, type WebDatasetSample } from "./read-web-dataset.ts";

/** The samples of a shard file; the file is closed when the loop ends. */
export function* readWebDatasetFile(path: string, options: ReadWebDatasetOptions = {}): Generator<WebDatasetSample> {
  const file = openFileSource(path);
  try {
    yield* readWebDataset(file, options);
  } finally {
    file.close();
  }
}

/** The names of the tar files, and their maximum size. */
export interface WebDatasetWriterOptions {
  /** Shards are named `<prefix>-000000.tar` and so on. Default: `shard`. */
  readonly prefix?: string;
  /** The number of the first shard. Default: 0. */
  readonly firstShard?: number;
  /** The maximum number of samples of a shard. Default: 10,000. */
  readonly maxSamples?: number;
  /** The maximum bytes of a shard; a single sample may be larger. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/** The result of a shard: an entry of an index. */
export interface WebDatasetShard {
  readonly name: string;
  readonly samples: number;
  readonly sizeBytes: number;
}

/** Writes samples into tar files, one after the other. */
export interface WebDatasetWriter extends Disposable {
  write(sample: WebDatasetSample): void;
  /** Ends the last shard; returns all of them. */
  close(): readonly WebDatasetShard[];
}

/** Writes samples to shards in a folder. A shard appears under its name when it is complete. */
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
  const close = (): readonly WebDatasetShard[] => {
    isOpen = false;
    end();
    return shards;
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
    close,
    [Symbol.dispose]: () => void close(),
  };
}

function requirePositive(name: string, value: number): void {
  if (value > 0) return;
  throw new MillraceError("BAD_OPTION", `${name} should be above 0, and is ${value}.`, {
    hint: "Leave it out for the default.",
  });
}
