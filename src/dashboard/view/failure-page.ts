import { lstatSync } from "node:fs";
import { shellWord } from "../../text/shell-word.ts";
import type { FailureRecord } from "../../worker/shard/failure-log.ts";
import { failuresOfShard, failuresPath } from "../../worker/shard/retry-failed-shards.ts";
import type { FailurePage, FailureView } from "../run-view.ts";
import type { LiveView } from "./live-view.ts";

const maxTextLength = 8000;

/** A page of the failed items of committed shards, in item order. Only the shards on it are opened. */
export function viewFailures(
  { paths, failures: failed }: LiveView,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): FailurePage {
  const shards = failed();
  const total = shards.reduce((sum, [, count]) => sum + count, 0);
  const failures: FailureView[] = [];
  let before = 0;
  for (const [shard, count] of shards) {
    if (failures.length >= limit) break;
    if (before + count > offset && isRegularFile(failuresPath(paths, shard))) {
      let position = before;
      for (const record of failuresOfShard(paths, shard)) {
        if (position++ < offset) continue;
        if (failures.length >= limit) break;
        failures.push(viewFailure(shard, record));
      }
    }
    before += count;
  }
  return { total, offset, failures, retryCommand: `millrace retry ${shellWord(paths.root)}` };
}

function viewFailure(shard: number, { item, id, attempt, tries, error, stack }: FailureRecord): FailureView {
  const { name, message, code } = error;
  return {
    item,
    ...(id === undefined ? {} : { id: cut(id) }),
    shard,
    attempt,
    tries,
    error: {
      name: cut(name),
      message: cut(message),
      ...(code === undefined ? {} : { code: cut(code) }),
      ...(stack === undefined ? {} : { stack: cut(stack) }),
    },
  };
}

function cut(text: string): string {
  const whole = String(text);
  return whole.length <= maxTextLength ? whole : `${whole.slice(0, maxTextLength)}…`;
}

// A link could point outside of the run folder.
function isRegularFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
