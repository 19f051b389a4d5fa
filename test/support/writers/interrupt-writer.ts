import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { removeCheckpointFiles } from "../../../src/run-folder/shard/checkpoint.ts";
import { copyPrefix } from "../../../src/run-folder/shard/copy-prefix.ts";
import { describeFile } from "../../../src/run-folder/shard/done.ts";
import type { CheckpointingWriter } from "../../../src/writers/writer.ts";

/** A writer and the records it takes. */
export interface WriterCase {
  readonly open: (dir: string) => CheckpointingWriter<never>;
  readonly record: (i: number) => unknown;
}

const steps = fc.array(
  fc.record({ end: fc.constantFrom("continues", "continues", "is killed", "is left", "is closed"), lost: fc.nat(2) }),
  { maxLength: 10 },
);

/** Compares a writer that was interrupted again and again with one that was not: names, bytes and descriptions. */
export async function compareInterrupted({ open, record }: WriterCase, root: string, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      const wholeDir = mkdtempSync(join(root, "whole-"));
      const whole = open(wholeDir);
      let dir = mkdtempSync(join(root, "cut-"));
      let cut = open(dir);
      for (const [i, { end, lost }] of run.entries()) {
        await whole.write(record(i) as never);
        await cut.write(record(i) as never);
        if (end === "continues") continue;
        // As it comes back from a file.
        const checkpoint = JSON.parse(JSON.stringify(await cut.checkpoint()));
        for (let extra = 0; extra < lost; extra++) await cut.write(record(1000 + extra) as never);
        // Whatever comes behind a checkpoint, its bytes must still be there. Files are closed after all of it.
        if (end === "is left") await cut.leave?.();
        if (end === "is closed") await cut.close();
        const next = mkdtempSync(join(root, "cut-"));
        for (const { name, bytes, crc32 } of checkpoint.files) {
          const digest = copyPrefix(join(dir, name), join(next, name), bytes, next);
          if (crc32 !== undefined) expect(digest!.toString(16).padStart(8, "0")).toBe(crc32);
        }
        await cut.close();
        [dir, cut] = [next, open(next)];
        await cut.restore(checkpoint);
      }
      await whole.close();
      await cut.close();
      for (const folder of [wholeDir, dir]) removeCheckpointFiles(folder);
      expect(cut.files!()).toEqual(whole.files!());
      expect(filesBelow(wholeDir)).toEqual(filesBelow(dir));
      expect(filesBelow(dir)).toEqual(namesOf(cut));
      for (const { name, bytes, crc32 } of cut.files!())
        expect(describeFile(dir, name)).toEqual({ name, bytes, crc32 });
    }),
    { numRuns },
  );
}

/** Opens and closes a writer without a record: it leaves nothing behind. */
export async function leaveUnused({ open }: WriterCase, dir: string): Promise<void> {
  const writer = open(dir);
  expect((await writer.checkpoint()).files).toEqual([]);
  await writer.close();
  await writer.close();
  expect(filesBelow(dir)).toEqual([]);
  expect(writer.files!()).toEqual([]);
}

function namesOf(writer: CheckpointingWriter<never>): string[] {
  return writer.files!()
    .map(({ name }) => name)
    .sort();
}

/** The names of all files below a folder, with forward slashes. */
export function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(dir.length + 1))
    .sort();
}
