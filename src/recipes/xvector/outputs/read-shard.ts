import { existsSync } from "node:fs";
import { join } from "node:path";
import { readNpy } from "../../../formats.ts";
import { MillraceError, readRecords } from "../../../index.ts";
import type { XVectorRecord, XVectorResult } from "../xvector-result.ts";
import { vectorsName } from "./vector-writer.ts";

/** The lines of a shard beside its vectors. */
export const recordsName = "utterances.jsonl";

/**
 * The utterances of committed shards with their vectors, in the order of the manifest. One shard is in memory at a
 * time.
 */
export function* readShards(shardDirs: readonly string[]): Generator<XVectorResult> {
  for (const dir of shardDirs) {
    const path = join(dir, recordsName);
    // A shard of failures only has no files.
    if (!existsSync(path)) continue;
    const { data, shape } = readNpy(join(dir, vectorsName));
    const [rows = 0, dimension = 0] = shape;
    let row = 0;
    for (const record of readRecords<XVectorRecord>(path)) {
      // A copy: a caller that keeps one vector must not keep the whole shard in memory.
      const vector = (data as Float32Array).slice(row * dimension, (row + 1) * dimension);
      row++;
      yield { record, vector };
    }
    if (row === rows) continue;
    throw new MillraceError("SHARD_DAMAGED", `${dir} has ${row} utterances and ${rows} vectors.`, {
      hint: "Delete the file `done` in it and run again to have it made again.",
    });
  }
}
