import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shape } from "../../../src/config/shape.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-jsonl-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function file(content: string | Uint8Array, ending = "jsonl"): string {
  const path = join(folder, `file-${made++}.${ending}`);
  writeFileSync(path, content);
  return path;
}

interface Row {
  readonly id: string;
  readonly n: number;
}
const rows = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: `utt-${n}`, n }));
const lines = (some: readonly unknown[]): string => some.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("openJsonl", () => {
  it("reads any row at once, in any order", async () => {
    await using data = await openJsonl<Row>(file(lines(rows(10_000))), { id: "id" });
    expect(data.length).toBe(10_000);
    for (const i of [9999, 0, 4095, 4096, 8192, 1, 2, 3]) expect(data.at(i)).toEqual({ id: `utt-${i}`, n: i });
    expect(data.id(17)).toBe("utt-17");
    expect([...data.slice(3, 5).ids]).toEqual(["utt-3", "utt-4"]);
  });

  it("finds the rows that splitting the text finds, with any line breaks, blank lines and chunk borders", async () => {
    const line = fc.oneof(
      fc.constant(""),
      fc.constant("  \t"),
      fc.json({ maxDepth: 1 }).map((text) => text.replaceAll("\n", " ")),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.boolean(),
        async (some, end, hasMark, isPacked) => {
          const text = `${hasMark ? "\uFEFF" : ""}${some.join(end)}`;
          const path = file(isPacked ? gzipSync(text) : text);
          await using data = await openJsonl(path);
          const expected = some.filter((one) => one.trim() !== "").map((one): unknown => JSON.parse(one));
          expect(data.length).toBe(expected.length);
          const read: unknown[] = [];
          for await (const row of data) read.push(row);
          expect(read).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("reads the same rows in order as one by one, while other rows are read in between", async () => {
    const some = Array.from({ length: 9000 }, (_, n) => ({
      n,
      text: n % 3000 < 1500 ? "plain" : "üß語😀\ufffd",
      x: "x".repeat(n % 90),
    }));
    some[4000] = { n: 4000, text: "long", x: "ü".repeat(70_000) };
    await using data = await openJsonl<{ n: number }>(file(lines(some)));
    let at = 0;
    for await (const row of data) {
      expect(row).toEqual(some[at]);
      if (at % 100 === 0) expect(data.at((at * 31) % 9000)).toEqual(some[(at * 31) % 9000]);
      at++;
    }
    expect(at).toBe(9000);
  });

  it("refuses bytes that are not UTF-8 at their row, and yields the rows before it", async () => {
    const bad = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe8, 0xaa], [0xf5, 0x80, 0x80, 0x80]];
    for (const bytes of bad) {
      const text = [Buffer.from(lines(rows(2000))), Buffer.from('"'), Buffer.from(bytes), Buffer.from('"\n{}\n')];
      await using data = await openJsonl(file(Buffer.concat(text)));
      let read = 0;
      const all = async () => {
        for await (const _row of data) read++;
      };
      await expect(all()).rejects.toThrow(/row 2000 is not UTF-8/);
      expect(read).toBe(2000);
      expect(data.at(2001)).toEqual({});
    }
  });

  it("reads gzip of every kind from its restart points", async () => {
    const text = Buffer.from(lines(rows(60_000)));
    const noise = Buffer.from(lines(Array.from({ length: 3000 }, (_, n) => ({ n, s: randomText(n) }))));
    const all = Buffer.concat([text, noise]);
    const packed = {
      fast: gzipSync(all, { level: 1 }),
      best: gzipSync(all, { level: 9, memLevel: 9 }),
      stored: gzipSync(all, { level: 0 }),
      fixed: gzipSync(all, { strategy: 4 }),
      members: Buffer.concat([gzipSync(text.subarray(0, 1_500_000)), gzipSync(""), gzipSync(all.subarray(1_500_000))]),
      smallBlocks: gzipSync(all, { memLevel: 1 }),
    };
    await using plain = await openJsonl(file(all));
    for (const [kind, bytes] of Object.entries(packed)) {
      await using data = await openJsonl(file(bytes, "jsonl.gz"));
      expect(data.length, kind).toBe(plain.length);
      expect(data.digest, kind).toBe(plain.digest);
      for (let i = 0; i < 300; i++) {
        const at = (i * 7919) % data.length;
        expect(data.at(at), kind).toEqual(plain.at(at));
      }
      expect(await data.get([62_999, 0, 62_998, 30_000]), kind).toEqual(await plain.get([62_999, 0, 62_998, 30_000]));
    }
  });

  it("builds the index once, and again when the file has changed", async () => {
    const path = file(lines(rows(10)));
    const first = await openJsonl(path);
    await first.close();
    const indexes = () =>
      readdirSync(folder).filter((name) => name.endsWith(".rows") && path.includes(name.slice(1, -5)));
    expect(indexes()).toHaveLength(1);
    appendFileSync(path, lines([{ id: "new", n: 10 }]));
    await using second = await openJsonl<Row>(path);
    expect(second.length).toBe(11);
    expect(second.digest).not.toBe(first.digest);
    // Same size and time, another beginning.
    const text = lines(rows(11)).replace("utt-0", "utt-X");
    const other = file(lines(rows(11)));
    utimesSync(other, 1, 1);
    await (await openJsonl(other)).close();
    writeFileSync(other, text);
    utimesSync(other, 1, 1);
    await using third = await openJsonl<Row>(other);
    expect(third.at(0).id).toBe("utt-X");
  });

  it("keeps the index in the folder that the user names, and nothing beside the data", async () => {
    const place = mkdtempSync(join(folder, "data-"));
    const path = join(place, "data.jsonl");
    writeFileSync(path, lines(rows(3)));
    const indexDir = join(folder, "kept");
    await using data = await openJsonl(path, { indexDir });
    expect(data.length).toBe(3);
    expect(readdirSync(indexDir)).toHaveLength(1);
    expect(readdirSync(place)).toEqual(["data.jsonl"]);
  });

  it("builds a damaged index again", async () => {
    const path = file(lines(rows(5000)));
    await (await openJsonl(path)).close();
    const index = join(folder, `.${path.slice(folder.length + 1)}.rows`);
    writeFileSync(index, "MLROWS01 nothing of use");
    await using data = await openJsonl<Row>(path);
    expect(data.at(4999).n).toBe(4999);
  });

  it.each([
    ["a pipe", (index: string) => void execFileSync("mkfifo", [index])],
    ["a link to a device without end", (index: string) => symlinkSync("/dev/zero", index)],
  ])("builds an index again where another user has put %s", async (_what, put) => {
    const path = file(lines(rows(10)));
    const index = join(folder, `.${path.slice(folder.length + 1)}.rows`);
    put(index);
    await using data = await openJsonl<Row>(path);
    expect(data.at(9).n).toBe(9);
    expect(lstatSync(index).isFile()).toBe(true);
  });

  it("says file, row and offset of what is wrong", async () => {
    await using broken = await openJsonl(file('{"a":1}\n{"a":\n{"a":3}\n'));
    expect(() => broken.at(1)).toThrow(/offset 8: row 1 is not JSON/);
    await using odd = await openJsonl(file(Buffer.from([0x22, 0xff, 0x22, 10])));
    expect(() => odd.at(0)).toThrow(/row 0 is not UTF-8/);
    await using checked = await openJsonl(file('{"n":"x"}\n'), { row: shape.object({ n: shape.int() }) });
    expect(() => checked.at(0)).toThrow(/row 0: n is .*a whole number was expected/);
    await expect(openJsonl(file("x".repeat(100)), { maxLineBytes: 50 })).rejects.toThrow(/longer than 50 bytes/);
    await expect(openJsonl(join(folder, "none.jsonl"))).rejects.toThrow(/none.jsonl cannot be read/);
    await expect(openJsonl("https://example.test/x.jsonl")).rejects.toThrow(/remote: true/);
  });

  it("refuses gzip that is cut, changed or followed by something else", async () => {
    const packed = gzipSync(lines(rows(3000)));
    await expect(openJsonl(file(packed.subarray(0, packed.length - 5)))).rejects.toThrow(/offset \d+: .*checksum/);
    await expect(openJsonl(file(packed.subarray(0, packed.length / 2)))).rejects.toThrow(/offset \d+: .*gzip/);
    const changed = Buffer.from(packed);
    changed[packed.length - 6]! ^= 1;
    await expect(openJsonl(file(changed))).rejects.toThrow(/checksum/);
    await expect(openJsonl(file(Buffer.concat([packed, Buffer.from("more text here")])))).rejects.toThrow(
      /not the beginning of gzip/,
    );
    expect((await openJsonl(file(Buffer.concat([packed, Buffer.alloc(512)])))).length).toBe(3000);
    // A block that refers to what is before the beginning.
    const far = Buffer.concat([
      packed.subarray(0, 10),
      deflateRawSync("aaaaaaaa", { dictionary: Buffer.from("aaaaaaaa") }),
    ]);
    await expect(openJsonl(file(far))).rejects.toThrow(/before the beginning|checksum/);
  });

  it("says so when the file is changed while it is open, or closed", async () => {
    const path = file(lines(rows(100)));
    const data = await openJsonl<Row>(path);
    writeFileSync(path, lines(rows(50)));
    expect(() => data.at(99)).toThrow(/shorter/);
    writeFileSync(path, lines(rows(200).map((row) => ({ ...row, more: true }))));
    expect(() => data.at(50)).toThrow(/does not end where the index says/);
    await data.close();
    await data.close();
    expect(() => data.at(50)).toThrow(/closed/);
  });
});

function randomText(seed: number): string {
  let text = "";
  for (let i = 0, x = seed + 1; i < 120; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    text += String.fromCharCode(33 + ((x >>> 8) % 90));
  }
  return text;
}
