import { readFile, stat } from "node:fs/promises";
import { errnoOf } from "../../errors/errors.ts";
import { inspectShard, parseDone, type ShardInspection } from "./done.ts";
import { doneName, fileOf } from "./shard-file-names.ts";

// No run writes a `done` that large; one for ten thousand files has a megabyte.
const maxDoneBytes = 1 << 28;

/** `inspectShard` for a slow file system: its calls wait in other threads, so that many shards are inspected at once. */
export async function inspectSlowShard(shardDir: string): Promise<ShardInspection> {
  const donePath = fileOf(shardDir, doneName);
  try {
    const found = await stat(donePath);
    if (!found.isFile() || found.size > maxDoneBytes) return inspectShard(shardDir);
    const text = (await readFile(donePath)).toString("utf8");
    const sizes = new Map<string, number>();
    await Promise.all(
      (parseDone(text)?.files ?? []).map(async ({ name }) => {
        const path = fileOf(shardDir, name);
        const file = await stat(path);
        if (file.isFile()) sizes.set(path, file.size);
      }),
    );
    return inspectShard(shardDir, { readDone: () => text, sizeOf: (path) => sizes.get(path) ?? "is not a file" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // Looked at again, with repetitions, and with an explanation of what is wrong.
    return inspectShard(shardDir);
  }
}
