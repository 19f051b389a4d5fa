import type { Notices } from "../../run-folder/run/notices.ts";

/** Warns which writers prevent checkpoints. */
export function warnNoCheckpoints(notices: Notices, runner: string, writers: object): void {
  const without = Object.entries(writers).filter(([, writer]) => !hasCheckpoints(writer));
  const names = without.map(([key]) => JSON.stringify(key)).join(", ");
  notices.say(
    "no-checkpoints",
    `${runner}.openWriters: ${names} ${without.length === 1 ? "has" : "have"} no checkpoint() and restore(), so a shard that is interrupted begins again at its first item. Add both (docs/writers.md), or use more shards, so that each is shorter.`,
  );
}

function hasCheckpoints(writer: unknown): boolean {
  const { checkpoint, restore } = (writer ?? {}) as { checkpoint?: unknown; restore?: unknown };
  return typeof checkpoint === "function" && typeof restore === "function";
}

export interface SlowCheckpoint {
  readonly shard: number;
  /** The time that a checkpoint takes, and the time between two. */
  readonly costMs: number;
  readonly intervalMs: number;
  readonly boundMs: number;
  /** The size of the shard's state as text, and of the whole checkpoint. */
  readonly stateBytes: number;
  readonly totalBytes: number;
}

/** Warns that checkpoints take so long that a kill repeats more than it should, and why. */
export function warnSlowCheckpoints(notices: Notices, checkpoint: SlowCheckpoint): void {
  const { shard, costMs, intervalMs, boundMs, stateBytes, totalBytes } = checkpoint;
  const isState = stateBytes > totalBytes / 2;
  const why = isState ? `its state is ${megabytes(stateBytes)} as text` : `it is ${megabytes(totalBytes)}`;
  const advice = isState
    ? "Keep less in the state (write it to a file with a writer)"
    : "Use writers that put their records into few files";
  notices.say(
    "dear-checkpoints",
    `a checkpoint of split.${shard} takes ${seconds(costMs)}, because ${why}. One is saved every ${seconds(intervalMs)}, and a kill repeats up to that much work instead of ${seconds(boundMs)}. ${advice}, or use more shards, so that each has less of it.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
