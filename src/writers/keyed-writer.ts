import type { ShardFile } from "../run-folder/shard/done.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import type { CheckpointingWriter, Writer, WriterCheckpoint } from "./writer.ts";

/** What each key's writer needs to resume, in the order of the keys' first occurrence. */
type Token = readonly (readonly [key: string, files: number, token: unknown])[];

/**
 * A writer for each key that occurs while a shard runs: the features of a model are known with its first output, but a
 * shard's writers must exist before. `open` gets a key and creates its writer.
 */
export class KeyedWriter<Record> implements Writer<readonly [key: string, record: Record]>, AsyncDisposable {
  private readonly open: (key: string) => CheckpointingWriter<Record>;
  private readonly byKey = new Map<string, CheckpointingWriter<Record>>();

  constructor(open: (key: string) => CheckpointingWriter<Record>) {
    this.open = open;
  }

  /** The written keys, sorted. */
  keys(): string[] {
    return [...this.byKey.keys()].sort();
  }

  write([key, record]: readonly [key: string, record: Record]): void | Promise<void> {
    return this.of(key).write(record);
  }

  async checkpoint(): Promise<WriterCheckpoint> {
    const files: WriterCheckpoint["files"][number][] = [];
    const token: [string, number, unknown][] = [];
    for (const [key, writer] of this.byKey) {
      const answer = writer.checkpoint();
      const saved = isThenable(answer) ? await answer : answer;
      for (const file of saved.files) files.push(file);
      token.push([key, saved.files.length, saved.token]);
    }
    return { files, token };
  }

  async restore({ files, token }: WriterCheckpoint): Promise<void> {
    let from = 0;
    for (const [key, count, inner] of (token ?? []) as Token) {
      await this.of(key).restore({ files: files.slice(from, from + count), token: inner });
      from += count;
    }
  }

  async close(): Promise<void> {
    for (const writer of this.byKey.values()) await writer.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async leave(): Promise<void> {
    for (const writer of this.byKey.values()) await writer.leave?.();
  }

  files(): readonly ShardFile[] {
    return [...this.byKey.values()].flatMap((writer) => writer.files?.() ?? []);
  }

  private of(key: string): CheckpointingWriter<Record> {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const writer = this.open(key);
    this.byKey.set(key, writer);
    return writer;
  }
}

/** One writer per key, opened when the key is first written. With checkpoints, if the writers of the keys have them. */
export function keyedWriter<Record>(open: (key: string) => CheckpointingWriter<Record>): KeyedWriter<Record> {
  return new KeyedWriter(open);
}
