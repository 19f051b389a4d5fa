import { type RunPaths, shardIdOf } from "../files/run-paths.ts";
import { groupAttempts } from "../lease/attempts.ts";
import { readAnswers } from "../shard/answer-log.ts";
import { readCheckpoints } from "../shard/checkpoint.ts";
import { inspectShard } from "../shard/done.ts";
import { namesIn } from "./scan-shards.ts";

/** How many items of a run are done: those of committed shards, and those that the checkpoint of an open shard covers. */
export function countItemsDone(paths: RunPaths): number {
  let items = 0;
  const committed = new Set<number>();
  for (const name of namesIn(paths.root)) {
    const id = shardIdOf(name);
    const shard = id === undefined ? undefined : inspectShard(paths.shard(id));
    if (id === undefined || shard?.state !== "committed") continue;
    committed.add(id);
    items += shard.done.counts.items;
  }
  for (const [target, { active, fenced }] of groupAttempts(namesIn(paths.attempts))) {
    if (target === "merge" || committed.has(target)) continue;
    const folders = fenced.map((attempt) => paths.fenced(target, attempt));
    if (active !== undefined) folders.push(paths.attempt(target, active));
    items += itemsOfAttempts(folders);
  }
  return items;
}

/** Items in the newest checkpoint, and items after it whose answers are logged: the next attempt uses both. */
function itemsOfAttempts(folders: readonly string[]): number {
  const position = Math.max(0, ...folders.map((folder) => readCheckpoints(folder)[0]?.position ?? 0));
  const beyond = [...readAnswers(folders).values()].filter((answer) => answer.position >= position);
  return position + beyond.reduce((sum, { count }) => sum + count, 0);
}
