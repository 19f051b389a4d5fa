import { copyFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { recordsName } from "./shard-file-names.ts";

/** Puts the records of a committed shard beside those of others, under its number; what is there and current stays. */
export function publishRecords(shardDir: string, id: number, resultDir: string | undefined): void {
  if (resultDir === undefined) return;
  const source = join(shardDir, recordsName);
  const made = statSync(source, { throwIfNoEntry: false });
  // A runner with writers of its own has no such file.
  if (made === undefined) return;
  const target = join(resultDir, `split.${id}.jsonl`);
  const there = statSync(target, { throwIfNoEntry: false });
  if (there !== undefined && there.size === made.size && there.mtimeMs >= made.mtimeMs) return;
  mkdirSync(resultDir, { recursive: true });
  const temporary = `${target}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  copyFileSync(source, temporary);
  renameSync(temporary, target);
}
