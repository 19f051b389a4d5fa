import { join } from "node:path";
import { NpyAppender, type NpyCheckpoint, ndArray } from "../../../formats.ts";
import type { ShardFile, Writer, WriterCheckpoint } from "../../../index.ts";

/** The vectors of a shard, one per row. */
export const vectorsName = "vectors.npy";

interface Token extends NpyCheckpoint {
  readonly dimension: number;
}

/** Writes the vectors of a shard to one file that a resumed shard continues. */
export function vectorWriter(shardDir: string): Writer<Float32Array> {
  const path = join(shardDir, vectorsName);
  let appender: NpyAppender | undefined;
  let dimension = 0;
  const open = (resume?: NpyCheckpoint) =>
    new NpyAppender(path, { dtype: "float32", rowShape: [dimension], ...(resume === undefined ? {} : { resume }) });
  return {
    write(vector) {
      if (appender === undefined) dimension = vector.length;
      appender ??= open();
      appender.append(ndArray("float32", vector));
    },
    checkpoint(): WriterCheckpoint {
      if (appender === undefined) return { files: [] };
      const token: Token = { ...appender.checkpoint(), dimension };
      // Without a checksum, because the header still changes.
      return { files: [{ name: vectorsName, bytes: token.bytes }], token };
    },
    restore({ token }) {
      if (token === undefined) return;
      const { dimension: before, ...resume } = token as Token;
      dimension = before;
      appender = open(resume);
    },
    close() {
      appender?.close();
    },
    files(): readonly ShardFile[] {
      if (appender === undefined) return [];
      const { bytes, crc32 } = appender.close();
      return [{ name: vectorsName, bytes, crc32: crc32.toString(16).padStart(8, "0") }];
    },
  };
}
