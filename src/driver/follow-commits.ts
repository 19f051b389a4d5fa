import type { OnRecords } from "../contract/start-run.ts";
import type { CommittedShards } from "../contract/task.ts";
import { recordsOfShards } from "../merge/merge-lines.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import { sleep } from "../runtime/sleep.ts";

const everyMs = 100;

/** Polls a run folder during the run, and passes on the records of each shard once. */
export class CommitFollower {
  private readonly handedOver = new Map<number, KnownShard>();
  private isOver = false;
  private readonly runDir: string;
  private readonly onRecords: OnRecords;
  private readonly isKept: boolean;

  /** `isKept`: the folder is not temporary, so records can be read later. */
  constructor(runDir: string, { onRecords, isKept }: { readonly onRecords: OnRecords; readonly isKept: boolean }) {
    this.runDir = runDir;
    this.onRecords = onRecords;
    this.isKept = isKept;
  }

  /** Polls until `end` is called. */
  async follow(): Promise<void> {
    while (!this.isOver) {
      await this.look();
      await sleep(everyMs);
    }
  }

  /** Passes on the remaining shards: all that are merged, or, if the run failed, all that are in its folder. */
  async end(committed?: CommittedShards): Promise<void> {
    if (committed !== undefined) this.handOver(committed);
    else if (!this.isOver) await this.look();
    this.isOver = true;
  }

  private async look(): Promise<void> {
    try {
      const { committed } = await scanShards(runPaths(this.runDir), this.handedOver);
      if (!this.isOver) this.handOver(committed);
    } catch {
      // The next poll, or the merge, finds shards that this one missed.
    }
  }

  private handOver(committed: CommittedShards): void {
    const paths = runPaths(this.runDir);
    for (const [shard, known] of committed) {
      if (this.handedOver.has(shard)) continue;
      this.handedOver.set(shard, known);
      const records = recordsOfShards([paths.shard(shard)], new Map([[shard, known]]));
      this.onRecords(this.isKept ? records : [...records]);
    }
  }
}
