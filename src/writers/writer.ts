import type { FilePrefix } from "../run-folder/shard/checkpoint.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";

/** What a writer saves so that the next attempt can resume. */
export interface WriterCheckpoint {
  /** The files and their valid lengths. Those bytes are copied into the next attempt's folder before `restore`. */
  readonly files: readonly FilePrefix[];
  /** Anything else the writer needs, as JSON. */
  readonly token?: unknown;
}

/**
 * Writes the records of one shard to files in its folder. `write` and `close` are all a writer needs; one that also has
 * `checkpoint` and `restore` lets a killed shard resume from its last checkpoint instead of its beginning.
 *
 * A writer must not touch its files before the first `write` or `restore`: the bytes to resume from may be there.
 */
export interface Writer<Record = unknown> {
  write(record: Record): void | Promise<void>;
  /** Passes everything written so far to the operating system and returns the state. */
  checkpoint?(): WriterCheckpoint | Promise<WriterCheckpoint>;
  /** Resumes from a checkpoint of an earlier attempt; the files contain exactly the bytes it named. */
  restore?(checkpoint: WriterCheckpoint): void | Promise<void>;
  /** Called at the end of a shard, also of a failed one. A second call does nothing. */
  close(): void | Promise<void>;
  /** Called before `close` if the shard is left unfinished: closes the files as they are, without completing them. */
  leave?(): void | Promise<void>;
  /** After `close`: describes the written files, which saves reading them again for their digests. */
  files?(): readonly ShardFile[];
}

/** A writer whose shard resumes from its last checkpoint. */
export type CheckpointingWriter<Record = unknown> = Writer<Record> & Required<Pick<Writer, "checkpoint" | "restore">>;

/** The writers of a shard by key, if all of them support checkpoints; otherwise undefined. */
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

/** True if a value among a shard's writers implements this contract; file handles and streams may be there too. */
export function keepsWriterContract(value: unknown): value is Writer {
  if (typeof value !== "object" || value === null) return false;
  const writer = value as Partial<Writer>;
  return (
    typeof writer.close === "function" &&
    (typeof writer.checkpoint === "function" || typeof writer.files === "function")
  );
}
