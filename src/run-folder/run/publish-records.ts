import { constants, copyFileSync } from "node:fs";
import { join } from "node:path";
import { replaceAtomic } from "../files/durable-files.ts";
import { mkdirSync, statSync } from "../files/store-calls.ts";
import { recordsName } from "../shard/shard-file-names.ts";

/** Copies the records of a committed shard to `resultDir/split.N.jsonl`, unless a current copy exists. */
export function publishRecords(shardDir: string, id: number, resultDir: string | undefined): void {
  if (resultDir === undefined) return;
  const source = join(shardDir, recordsName);
  const made = statSync(source, { throwIfNoEntry: false });
  // A runner with custom writers has no such file.
  if (made === undefined) return;
  const target = join(resultDir, `split.${id}.jsonl`);
  const there = statSync(target, { throwIfNoEntry: false });
  if (there !== undefined && there.size === made.size && there.mtimeMs >= made.mtimeMs) return;
  mkdirSync(resultDir, { recursive: true });
  replaceAtomic(target, (temporary) => copyFileSync(source, temporary, constants.COPYFILE_EXCL));
}
