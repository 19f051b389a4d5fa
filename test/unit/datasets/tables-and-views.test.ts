import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { concatDatasets } from "../../../src/datasets/concat-datasets.ts";
import { makeDataset } from "../../../src/datasets/core/make-dataset.ts";
import { permutation } from "../../../src/datasets/core/permutation.ts";
import { openCsv } from "../../../src/datasets/open-csv.ts";
import { openFolder } from "../../../src/datasets/open-folder.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { openTsv } from "../../../src/datasets/open-tsv.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-tables-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function file(content: string): string {
  const path = join(folder, `table-${made++}.csv`);
  writeFileSync(path, content);
  return path;
}

describe("openCsv", () => {
  it("reads what RFC 4180 writes, whatever the values hold", async () => {
    const value = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "a", "ü", " "), maxLength: 6 });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(value, value), { maxLength: 30 }), async (rows) => {
        const text = `one,two\r\n${rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("")}`;
        await using data = await openCsv(file(text));
        expect(data.length).toBe(rows.length);
        expect(await data.get(rows.keys())).toEqual(rows.map(([one, two]) => ({ one, two })));
      }),
      { numRuns: 60 },
    );
  });

  it("converts columns by choice, and refuses what does not fit", async () => {
    const path = file("id;n;ok\na;1.5;true\nb;x;false\nc;2\n");
    await using data = await openCsv(path, { separator: ";", types: { n: "number", ok: "boolean" }, id: "id" });
    expect(data.at(0)).toEqual({ id: "a", n: 1.5, ok: true });
    expect(data.id(1 - 1)).toBe("a");
    expect(() => data.at(1)).toThrow(/offset 19: row 1: n is "x"; a number was expected/);
    expect(() => data.at(2)).toThrow(/row 2 has 2 values, and there are 3 columns/);
    await expect(openCsv(path, { separator: ";", types: { m: "int" } })).rejects.toThrow(/no column "m"/);
    await expect(openCsv(file('a\n"b\n'))).rejects.toThrow(/ends within quotes/);
    await using stray = await openCsv(file('a\nb"c"\n'));
    expect(() => stray.at(0)).toThrow(/a quote that neither begins nor ends/);
  });
});

describe("openTsv", () => {
  it("has a row for every line that is not empty: white space is a value", async () => {
    await using data = await openTsv(file("a\tb\n1\t2\n\t\n\n \t\r\n\r\n3\t"));
    expect(await data.get([0, 1, 2, 3])).toEqual([
      { a: "1", b: "2" },
      { a: "", b: "" },
      { a: " ", b: "" },
      { a: "3", b: "" },
    ]);
    expect(data.length).toBe(4);
    await using one = await openCsv(file("word\na\n  \n\nb\n"));
    expect(await one.get([0, 1, 2])).toEqual([{ word: "a" }, { word: "  " }, { word: "b" }]);
    await using lines = await openJsonl(file("1\n \t\n2\n"));
    expect([lines.length, lines.at(1)]).toEqual([2, 2]);
  });

  it("leaves quotes alone, and takes columns where there is no header", async () => {
    await using data = await openTsv(file('a\t"x"\nb\ty\n'), { columns: ["id", "text"], id: "id" });
    expect(data.length).toBe(2);
    expect(data.at(0)).toEqual({ id: "a", text: '"x"' });
    expect([...data.ids]).toEqual(["a", "b"]);
  });
});

describe("openFolder", () => {
  it("lists files by a pattern, in the order of their names", async () => {
    const place = join(folder, "audio");
    for (const name of ["b/2.wav", "b/1.flac", "a/x.wav", "note.txt"]) {
      mkdirSync(join(place, name, ".."), { recursive: true });
      writeFileSync(join(place, name), name);
    }
    await using data = await openFolder(place, { pattern: "**/*.{wav,flac}" });
    expect([...data.ids]).toEqual(["a/x.wav", "b/1.flac", "b/2.wav"]);
    expect(data.at(0)).toEqual({ name: "a/x.wav", path: join(place, "a/x.wav"), sizeBytes: 7 });
    expect((await openFolder(place, { pattern: "*.txt" })).length).toBe(1);
    await expect(openFolder(join(place, "none"))).rejects.toThrow(/cannot be listed/);
  });
});

describe("views", () => {
  it("read the rows that arrays would have", async () => {
    const path = join(folder, "views.jsonl");
    writeFileSync(path, Array.from({ length: 50 }, (_, n) => `${JSON.stringify({ id: `u${n}`, n })}\n`).join(""));
    await using data = await openJsonl<{ id: string; n: number }>(path, { id: "id" });
    expect(data.slice(-3).at(0).n).toBe(47);
    expect(data.slice(10, 5).length).toBe(0);
    expect(await data.select([3, 1, 3]).get([0, 1, 2])).toEqual([data.at(3), data.at(1), data.at(3)]);
    const even = await data.filter(({ n }) => n % 2 === 0);
    expect(even.map(({ n }, i) => n - i).at(7)).toBe(7);
    expect(even.id(7)).toBe("u14");
    const both = concatDatasets([data, even]);
    expect(both.length).toBe(75);
    expect(both.at(57).n).toBe(14);
    expect((await both.get([57, 1])).map(({ n }) => n)).toEqual([14, 1]);
    const mixed = data.shuffle(7);
    expect(mixed.digest).not.toBe(data.digest);
    expect((await mixed.get(Array.from({ length: 50 }, (_, i) => i))).map(({ n }) => n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
    for (const index of [-1, 50, 1.5, Number.NaN]) expect(() => data.at(index)).toThrow(/has 50 rows/);
  });

  it("shuffle is a permutation for every length and seed", () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.integer(), (length, seed) => {
        const at = permutation(length, seed);
        const all = new Set(Array.from({ length }, (_, i) => at(i)));
        expect(all.size).toBe(length);
        expect([...all].every((i) => i >= 0 && i < length)).toBe(true);
      }),
    );
  });

  it("read ahead where rows come later, and pass errors on", async () => {
    const later = makeDataset({
      name: "later",
      length: 1000,
      digest: "x",
      readRow: async (i: number) => {
        if (i === 700) throw new Error("row 700");
        return i;
      },
      close: () => {},
    });
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const i of later.map((row) => row)) seen.push(i);
      })(),
    ).rejects.toThrow("row 700");
    expect(seen.length).toBe(512);
  });
});
