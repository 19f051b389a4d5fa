import type { FilePrefix } from "../store/checkpoint.ts";
import type { ShardFile } from "../store/done.ts";

/** What a writer hands over so that the next attempt can go on where it stood. */
export interface WriterCheckpoint {
  /** How much of which files counts. Those bytes are copied into the next attempt's folder before `restore`. */
  readonly files: readonly FilePrefix[];
  /** Anything else the writer needs, as JSON. */
  readonly token?: unknown;
}

/**
 * Takes the records of one shard to files in its folder. `write` and `close` are all a writer needs; one that also has
 * `checkpoint` and `restore` lets a killed shard go on from its last checkpoint instead of its beginning.
 *
 * A writer must not touch its files before the first `write` or `restore`: the bytes to go on from may be there.
 */
export interface Writer<Record = unknown> {
  write(record: Record): void | Promise<void>;
  /** Hands everything written so far to the operating system and says where it stands. */
  checkpoint?(): WriterCheckpoint | Promise<WriterCheckpoint>;
  /** Goes on from a checkpoint of an earlier attempt; the files hold exactly the bytes it named. */
  restore?(checkpoint: WriterCheckpoint): void | Promise<void>;
  /** Called at the end of a shard, also of a failed one. A second call does nothing. */
  close(): void | Promise<void>;
  /**
   * Called before `close` where the shard is left unfinished: closes the files as they are, so that nothing is put together
   * that nobody will read.
   */
  leave?(): void | Promise<void>;
  /** After `close`: describes the files it wrote, which saves reading them again for their digests. */
  files?(): readonly ShardFile[];
}

/** A writer whose shard goes on from its last checkpoint. */
export type CheckpointingWriter<Record = unknown> = Writer<Record> & Required<Pick<Writer, "checkpoint" | "restore">>;

/** The writers of a shard by key, if every one of them can be checkpointed; otherwise undefined. */
export function checkpointingWriters(writers: object): Map<string, CheckpointingWriter> | undefined {
  const found = new Map<string, CheckpointingWriter>();
  for (const [key, writer] of Object.entries(writers)) {
    if (!canCheckpoint(writer)) return undefined;
    found.set(key, writer);
  }
  return found;
}

function canCheckpoint(value: unknown): value is CheckpointingWriter {
  if (typeof value !== "object" || value === null) return false;
  const writer = value as Partial<CheckpointingWriter>;
  return typeof writer.checkpoint === "function" && typeof writer.restore === "function";
}

/** Whether something among a shard's writers keeps this contract; file handles and streams stand there too. */
export function keepsWriterContract(value: unknown): value is Writer {
  if (typeof value !== "object" || value === null) return false;
  const writer = value as Partial<Writer>;
  return (
    typeof writer.close === "function" &&
    (typeof writer.checkpoint === "function" || typeof writer.files === "function")
  );
}
