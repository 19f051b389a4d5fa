import { basename, dirname, join } from "node:path";
import type { SamplePlace } from "../writers/web-dataset-writer.ts";
import { collectParts, folderOf, pathFrom } from "./collect-parts.ts";
import { type CommittedShard, filesOf, openShards } from "./concatenate-shard-files.ts";
import { readCommitted } from "./read-committed.ts";
import { writeMergedText } from "./write-merged-file.ts";

/** Options of {@link mergeWebDataset}. */
export interface MergeWebDatasetOptions {
  /** The folder of the index. Default: beside the shards' folders. */
  readonly folder?: string;
}

/** Numbers of samples, files and bytes. */
export interface MergedCounts {
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Makes one data set of the archives of all shards without moving them: `name.index.json` lists them in item order, in
 * the format that WebDataset's `wids` reads, and `name.samples.jsonl` gives the position of each sample. Paths are
 * relative to the folder of these two files, so the output folder can be moved as a whole.
 */
export function mergeWebDataset(
  shardDirs: readonly string[],
  name: string,
  options: MergeWebDatasetOptions = {},
): MergedCounts {
  const shards = openShards(shardDirs);
  const { parts, rows, bytes } = collectParts(shards, name);
  const place = folderOf(shards, options.folder, name);
  const index = join(place, `${name}.index.json`);
  const shardlist = parts.map((part) => ({
    url: pathFrom(dirname(index), part.path),
    nsamples: part.rows,
    filesize: part.bytes,
  }));
  writeMergedText(
    join(dirname(index), `${basename(name)}.samples.jsonl`),
    moveSamples(shards, name, dirname(index)),
    place,
  );
  const content = { __kind__: "wids-shard-index-v1", wids_version: 1, name: basename(name), shardlist };
  writeMergedText(index, [`${JSON.stringify(content, null, 1)}\n`], place);
  return { parts: parts.length, rows, bytes };
}

function* moveSamples(shards: readonly CommittedShard[], name: string, to: string): Generator<string> {
  const listName = `${name}.samples.jsonl`;
  for (const { dir, file } of filesOf(shards, listName)) {
    const path = join(dir, listName);
    const lines = readCommitted(path, file).split("\n").slice(0, -1);
    const moved = lines.map((line) => {
      const place = JSON.parse(line) as SamplePlace;
      return JSON.stringify({ ...place, part: pathFrom(to, join(dirname(path), place.part)) });
    });
    yield `${moved.join("\n")}\n`;
  }
}
