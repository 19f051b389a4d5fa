import { dirname, join } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import { withFileSource } from "../formats/file-source.ts";
import { readSafetensors } from "../formats/safetensors/read-tensor.ts";
import { folderOf, pathFrom } from "./collect-parts.ts";
import { filesOf, openShards } from "./concatenate-shard-files.ts";
import { writeMergedText } from "./write-merged-file.ts";

/** Options of {@link mergeSafetensors}. */
export interface MergeSafetensorsOptions {
  /** The folder of the index. Default: beside the shards' folders. */
  readonly folder?: string;
}

/**
 * Makes one data set of the safetensors files of all shards without moving them: `name.safetensors.index.json`
 * maps each tensor to its file, in the format of Hugging Face's libraries for models in several files. Paths are
 * relative to its folder. A tensor that occurs in two shards is an error. Returns the number of tensors.
 */
export function mergeSafetensors(
  shardDirs: readonly string[],
  name: string,
  { folder }: MergeSafetensorsOptions = {},
): number {
  const shards = openShards(shardDirs);
  const fileName = `${name}.safetensors`;
  const place = folderOf(shards, folder, name);
  const index = join(place, `${fileName}.index.json`);
  const fileOf = new Map<string, string>();
  let bytes = 0;
  for (const { dir } of filesOf(shards, fileName)) {
    const path = join(dir, fileName);
    const { tensors } = withFileSource(path, readSafetensors);
    // The header was parsed into an object, which puts ids such as "7" first; the data is in item order.
    for (const tensor of [...tensors.values()].sort((a, b) => a.offset - b.offset)) {
      if (fileOf.has(tensor.name)) throw duplicateTensor(tensor.name, fileOf.get(tensor.name)!, path);
      fileOf.set(tensor.name, path);
      bytes += tensor.sizeBytes;
    }
  }
  writeMergedText(index, indexText(fileOf, bytes, dirname(index)), place);
  return fileOf.size;
}

/** Written line by line, not from an object: ids such as "7" would change order, and "__proto__" would be lost. */
function* indexText(fileOf: ReadonlyMap<string, string>, bytes: number, folder: string): Generator<string> {
  yield `{\n "metadata": {"total_size": ${bytes}},\n "weight_map": {`;
  let separator = "\n";
  for (const [tensor, path] of fileOf) {
    yield `${separator}  ${JSON.stringify(tensor)}: ${JSON.stringify(pathFrom(folder, path))}`;
    separator = ",\n";
  }
  yield "\n }\n}\n";
}

function duplicateTensor(tensor: string, first: string, second: string): MillraceError {
  const message = `The tensor ${JSON.stringify(tensor)} is in ${first} and in ${second}.`;
  return new MillraceError("MERGE_FAILED", message, { hint: "Ids must be unique over all items, not within a shard." });
}
