import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { isMissing } from "../files/durable-files.ts";
import { inspectShard, parseDone, type ShardInspection, sizeOrReason } from "./done.ts";
import { doneName, fileOf } from "./shard-file-names.ts";

// No run writes a `done` that large; one for ten thousand files has a megabyte.
const maxDoneBytes = 1 << 28;

type Answer<Value> = () => Value;

/** `inspectShard` for a slow file system: its calls wait in other threads, so that many shards are inspected at once. */
export async function inspectSlowShard(shardDir: string): Promise<ShardInspection> {
  const donePath = fileOf(shardDir, doneName);
  const stats = await answerOf(stat(donePath));
  if (isAbsent(stats)) return { state: "absent" };
  // What is odd is left to the other way of looking, which says what it is.
  if (sizeOrReason(stats) === "is not a file" || Number(sizeOrReason(stats)) > maxDoneBytes)
    return inspectShard(shardDir);
  const text = await answerOf(readFile(donePath, "utf8"));
  const files = parseDone(textOf(text))?.files ?? [];
  const sizes = new Map<string, Answer<Stats>>();
  await Promise.all(
    files.map(async ({ name }) => {
      const path = fileOf(shardDir, name);
      sizes.set(path, await answerOf(stat(path)));
    }),
  );
  return inspectShard(shardDir, { readDone: text, sizeOf: (path) => sizeOrReason(sizes.get(path)!) });
}

/** Waits for a call. The answer is given, or its error thrown, when it is asked for. */
async function answerOf<Value>(call: Promise<Value>): Promise<Answer<Value>> {
  try {
    const value = await call;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function isAbsent(stats: Answer<Stats>): boolean {
  try {
    stats();
    return false;
  } catch (error) {
    return isMissing(error);
  }
}

function textOf(text: Answer<string>): string {
  try {
    return text();
  } catch {
    return "";
  }
}
