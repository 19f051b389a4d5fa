import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeFile, type ShardFile } from "../../../../src/run-folder/shard/done.ts";
import { type Insertion, insertLines } from "../../../../src/worker/shard/insert-lines.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

interface Folding {
  readonly name?: string;
  readonly old: string;
  /** What the retry wrote; undefined if it wrote nothing. */
  readonly added?: string | undefined;
  readonly insertions: readonly Insertion[];
}

function prepare({ name = "text", old, added }: Folding, root = temporaryFolder()) {
  const [oldDir, newDir] = [join(root, "old"), join(root, "new")];
  mkdirSync(dirname(join(oldDir, name)), { recursive: true });
  mkdirSync(newDir, { recursive: true });
  writeFileSync(join(oldDir, name), old);
  if (added !== undefined) writeFileSync(join(newDir, name), added);
  const file: ShardFile = { ...describeFile(oldDir, name), lines: old.split("\n").length - 1 };
  return { oldDir, newDir, file };
}

function fold(folding: Folding): { text: string; file: ShardFile; newDir: string } {
  const { oldDir, newDir, file } = prepare(folding);
  const { added = "", insertions } = folding;
  const folded = insertLines(file, { oldDir, newDir, insertions, addedLines: added.split("\n").length - 1 });
  return { text: readFileSync(join(newDir, file.name), "utf8"), file: folded, newDir };
}

describe("insertLines", () => {
  it("puts each new line at its place", () => {
    const insertions = [
      { at: 0, from: 0, to: 2 },
      { at: 4, from: 2, to: 4 },
      { at: 6, from: 4, to: 6 },
    ];
    expect(fold({ old: "b\nc\ne\n", added: "a\nd\nf\n", insertions }).text).toBe("a\nb\nc\nd\ne\nf\n");
  });

  it("describes the new file", () => {
    const { file, newDir } = fold({ old: "ä\nc\n", added: "b\n", insertions: [{ at: 3, from: 0, to: 2 }] });
    expect(file).toEqual({ ...describeFile(newDir, "text"), lines: 3 });
  });

  it("keeps the order of lines that belong at the same place", () => {
    const insertions = [
      { at: 2, from: 0, to: 2 },
      { at: 2, from: 2, to: 4 },
    ];
    expect(fold({ old: "a\nd\n", added: "b\nc\n", insertions }).text).toBe("a\nb\nc\nd\n");
  });

  it("leaves the old lines alone where an item added nothing", () => {
    expect(fold({ old: "a\nb\n", insertions: [{ at: 2, from: 0, to: 0 }] }).text).toBe("a\nb\n");
  });

  it("leaves no other file behind", () => {
    const { newDir } = fold({ old: "a\n", added: "b\n", insertions: [{ at: 2, from: 0, to: 2 }] });
    expect(readdirSync(newDir)).toEqual(["text"]);
  });

  it("returns a file from which any lines were taken out", () => {
    const root = temporaryFolder();
    const lines = fc.array(fc.record({ line: fc.string({ unit: "binary" }), isFailed: fc.boolean() }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, (all) => {
        let [old, added] = ["", ""];
        const insertions: Insertion[] = [];
        for (const { line, isFailed } of all.map((entry) => ({ ...entry, line: `${JSON.stringify(entry.line)}\n` }))) {
          const from = Buffer.byteLength(added);
          if (isFailed) added += line;
          if (isFailed) insertions.push({ at: Buffer.byteLength(old), from, to: Buffer.byteLength(added) });
          else old += line;
        }
        const { oldDir, newDir, file } = prepare({ old, added, insertions }, root);
        insertLines(file, { oldDir, newDir, insertions, addedLines: insertions.length });
        const expected = all.map(({ line }) => `${JSON.stringify(line)}\n`).join("");
        expect(readFileSync(join(newDir, "text"), "utf8")).toBe(expected);
      }),
    );
  });

  it("refuses an old file that is shorter than its done says, and names it", () => {
    const { oldDir, newDir, file } = prepare({ old: "a\nb\n", added: "c\n", insertions: [] });
    writeFileSync(join(oldDir, "text"), "a\n");
    const act = () => insertLines(file, { oldDir, newDir, insertions: [], addedLines: 1 });
    expect(act).toThrow(`${join(oldDir, "text")} is shorter than its done says`);
  });

  it("leaves what the retry wrote as it was when it refuses the old file", () => {
    const { oldDir, newDir, file } = prepare({ old: "a\nb\n", added: "c\n", insertions: [] });
    writeFileSync(join(oldDir, "text"), "a\n");
    expect(() => insertLines(file, { oldDir, newDir, insertions: [], addedLines: 1 })).toThrow();
    expect(readFileSync(join(newDir, "text"), "utf8")).toBe("c\n");
  });

  it("refuses an old file whose bytes are not those that were committed", () => {
    const { oldDir, newDir, file } = prepare({ old: "a\nb\n", added: "c\n", insertions: [] });
    writeFileSync(join(oldDir, "text"), "a\nX\n");
    const insertions = [{ at: 4, from: 0, to: 2 }];
    expect(() => insertLines(file, { oldDir, newDir, insertions, addedLines: 1 })).toThrow(
      /not those that were committed/,
    );
  });

  it("makes the folder of a file to which the retry added nothing", () => {
    expect(fold({ name: "sub/text", old: "a\n", insertions: [] }).text).toBe("a\n");
  });
});
