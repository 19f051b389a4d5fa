import { dirname, join } from "node:path";
import { withFileSource } from "../formats/file-source.ts";
import { readSafetensors } from "../formats/safetensors/read-tensor.ts";
import { MillraceError } from "../shared/errors.ts";
import { folderOf, pathFrom } from "./collect-parts.ts";
import { filesOf, openShards } from "./concatenate-shard-files.ts";
import { putText } from "./put-text.ts";

/** Where the index of the parts goes. */
export interface MergeSafetensorsOptions {
  /** Where the index goes. Default: beside the shards' folders. */
  readonly folder?: string;
}

/**
 * Makes one data set of the safetensors files of all shards, which stay where they are: `name.safetensors.index.json` says
 * which tensor is in which file, as Hugging Face's libraries write it for models in several files. Paths count from its own
 * folder. A tensor that two shards have is an error. Says how many tensors there are.
 */
export function mergeSafetensors(
  shardDirs: readonly string[],
  name: string,
  { folder }: MergeSafetensorsOptions = {},
): number {
  const shards = openShards(shardDirs);
  const fileName = `${name}.safetensors`;
  const index = join(folderOf(shards, folder, name), `${fileName}.index.json`);
  const fileOf = new Map<string, string>();
  let bytes = 0;
  for (const { dir } of filesOf(shards, fileName)) {
    const path = join(dir, fileName);
    const { tensors } = withFileSource(path, readSafetensors);
    // The header was parsed into an object, which puts ids such as "7" first: the data are in item order.
    for (const tensor of [...tensors.values()].sort((a, b) => a.offset - b.offset)) {
      if (fileOf.has(tensor.name)) throw cameTwice(tensor.name, fileOf.get(tensor.name)!, path);
      fileOf.set(tensor.name, path);
      bytes += tensor.sizeBytes;
    }
  }
  putText(index, indexText(fileOf, bytes, dirname(index)));
  return fileOf.size;
}

/** Line by line and not as an object: ids such as "7" would change places, and "__proto__" be lost. */
function* indexText(fileOf: ReadonlyMap<string, string>, bytes: number, folder: string): Generator<string> {
  yield `{\n "metadata": {"total_size": ${bytes}},\n "weight_map": {`;
  let separator = "\n";
  for (const [tensor, path] of fileOf) {
    yield `${separator}  ${JSON.stringify(tensor)}: ${JSON.stringify(pathFrom(folder, path))}`;
    separator = ",\n";
  }
  yield "\n }\n}\n";
}

function cameTwice(tensor: string, first: string, second: string): MillraceError {
  const message = `The tensor ${JSON.stringify(tensor)} is in ${first} and in ${second}.`;
  return new MillraceError("MERGE_FAILED", message, { hint: "Ids must be unique over all items, not within a shard." });
}
