import { ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileSource } from "../../../src/formats/file-source.ts";
import { openZip } from "../../../src/formats/zip/open-zip.ts";
import { readZipEntry } from "../../../src/formats/zip/read-zip-entry.ts";
import { resumeZip } from "../../../src/formats/zip/resume-zip.ts";
import { ZipWriter } from "../../../src/formats/zip/zip-writer.ts";
import { goldenBytes, goldenFiles } from "../../support/formats/golden.ts";
import { askPython, pythonWith } from "../../support/formats/python.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const badFile = (message: string | RegExp) =>
  expect.objectContaining({ code: "BAD_FILE", message: expect.stringMatching(message) });

function zipOf(fill: (writer: ZipWriter) => void): Buffer {
  const pieces: Buffer[] = [];
  const writer = new ZipWriter((bytes) => pieces.push(Buffer.from(bytes)));
  fill(writer);
  writer.finish();
  return Buffer.concat(pieces);
}

function contentOf(bytes: Buffer): Record<string, string> {
  const archive = openZip(bytes, { name: "x.zip" });
  return Object.fromEntries(
    [...archive.entries].map(([name, entry]) => [name, readZipEntry(archive, entry).toString("hex")]),
  );
}

/** The same archive with some bytes changed. */
function edited(bytes: Buffer, edit: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  edit(copy);
  return copy;
}

const two = zipOf((writer) => {
  writer.add("a", Buffer.from("first"));
  writer.add("b", Buffer.alloc(1000, "second"), { compress: true });
});
const directoryOf = (bytes: Buffer) => bytes.readUInt32LE(bytes.length - 6);

describe("a zip archive", () => {
  it.each(goldenFiles<Record<string, string>>("zip"))("of Python is read: $name", ({ bytes, holds }) => {
    expect(contentOf(bytes)).toEqual(holds);
  });

  it("returns any entries: stored, deflated, streamed, aligned", () => {
    const entry = fc.record({
      content: fc.uint8Array({ maxLength: 300 }),
      compress: fc.boolean(),
      streamed: fc.boolean(),
      align: fc.constantFrom(1, 8, 64, 4096),
    });
    const names = fc.stringMatching(/^[^\0/\\:.]{1,20}$/u);
    fc.assert(
      fc.property(fc.dictionary(names, entry, { noNullPrototype: true }), (entries) => {
        const bytes = zipOf((writer) => {
          for (const [name, { content, streamed, ...options }] of Object.entries(entries)) {
            if (!streamed) {
              writer.add(name, content, options);
              continue;
            }
            writer.begin(name, options);
            for (let at = 0; at < content.length; at += 100) writer.write(content.subarray(at, at + 100));
            writer.end();
          }
        });
        const expected = Object.entries(entries).map(([name, { content }]) => [
          name,
          Buffer.from(content).toString("hex"),
        ]);
        expect(contentOf(bytes)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 300 },
    );
  });

  it("has the same bytes whenever it is written", () => {
    expect(zipOf((writer) => writer.add("a", Buffer.from("x"))).toString("hex")).toBe(
      zipOf((writer) => writer.add("a", Buffer.from("x"))).toString("hex"),
    );
  });

  it("holds more entries than fit into 16 bits", () => {
    const bytes = zipOf((writer) => {
      for (let i = 0; i < 70_000; i++) writer.add(String(i), Buffer.from([i % 256]));
    });
    const archive = openZip(bytes);
    expect(archive.entries.size).toBe(70_000);
    expect([...readZipEntry(archive, archive.entries.get("69999")!)]).toEqual([69_999 % 256]);
  });

  it("is read on both sides of 4 GiB, and by Python", () => {
    const path = join(temporaryFolder(), "large.zip");
    const fd = openSync(path, "w");
    // Zeros are left out, so that the file takes no space.
    const zeros = Buffer.alloc(1 << 24);
    let at = 0;
    const writer = new ZipWriter((bytes) => {
      if (bytes.buffer !== zeros.buffer) writeSync(fd, bytes, 0, bytes.length, at);
      at += bytes.length;
    });
    writer.add("before", Buffer.from("before"));
    writer.begin("streamed");
    for (let i = 0; i < 257; i++) writer.write(zeros);
    writer.end();
    writer.add("after", Buffer.from("after"), { align: 64 });
    writer.finish();
    ftruncateSync(fd, at);
    const source = openFileSource(path);
    onTestFinished(() => source.close());
    const archive = openZip(source);
    expect(archive.entries.get("streamed")!.bytes).toBe(257 * 2 ** 24);
    expect(archive.entries.get("after")!.headerOffset).toBeGreaterThan(2 ** 32);
    for (const name of ["before", "after"]) {
      expect(readZipEntry(archive, archive.entries.get(name)!).toString()).toBe(name);
    }
    const python = pythonWith("numpy");
    if (python === undefined) return;
    const [answer] = askPython(python, [{ kind: "zip", path, read: ["before", "after"] }]);
    expect(answer).toEqual({
      sizes: { before: 6, streamed: 257 * 2 ** 24, after: 5 },
      bytes: { before: Buffer.from("before").toString("hex"), after: Buffer.from("after").toString("hex") },
    });
  });

  it("takes an entry of more than 4 GiB whose size is known, and continues behind it", () => {
    const zeros = new Uint8Array(1 << 24);
    const headers: Buffer[] = [];
    let bytes = 0;
    const writer = new ZipWriter((piece) => {
      if (piece.buffer !== zeros.buffer) headers.push(Buffer.from(piece));
      bytes += piece.length;
    });
    writer.add("large", new Array<Uint8Array>(257).fill(zeros));
    const size = bytes;
    const source = {
      name: "large.zip",
      size,
      read: (offset: number, length: number) =>
        Buffer.concat([headers[0]!, Buffer.alloc(64)]).subarray(offset, offset + length),
    };
    expect(resumeZip(source).entries).toMatchObject([{ name: "large", bytes: 257 * 2 ** 24, headerOffset: 0 }]);
  });
});

describe("openZip refuses", () => {
  it.each([
    ["an empty file", Buffer.alloc(0), /offset 0: no end record/],
    ["another file", Buffer.from("not a zip archive, but longer than its end record"), /no end record/],
    ["bytes behind the end", Buffer.concat([two, Buffer.alloc(3)]), /no end record/],
    ["bytes before the beginning", Buffer.concat([Buffer.alloc(3), two]), /which is wrong/],
    [
      "more entries than fit",
      edited(two, (copy) => {
        copy.writeUInt16LE(60_000, copy.length - 12);
        copy.writeUInt16LE(60_000, copy.length - 14);
      }),
      /60000 zip entries do not fit into a directory of/,
    ],
    [
      "fewer entries than there are",
      edited(two, (copy) => {
        copy.writeUInt16LE(1, copy.length - 12);
        copy.writeUInt16LE(1, copy.length - 14);
      }),
      /bytes of the zip directory are not entries/,
    ],
    ["several parts", edited(two, (copy) => copy.writeUInt16LE(1, copy.length - 18)), /several parts/],
    ["an encrypted entry", edited(two, (copy) => copy.writeUInt16LE(1, directoryOf(copy) + 8)), /a is encrypted/],
    ["an unknown method", edited(two, (copy) => copy.writeUInt16LE(12, directoryOf(copy) + 10)), /method 12/],
    [
      "a stored entry of two sizes",
      edited(two, (copy) => copy.writeUInt32LE(9, directoryOf(copy) + 24)),
      /sizes differ/,
    ],
    [
      "sizes of 64 bits that are missing",
      edited(two, (copy) => copy.writeUInt32LE(0xffffffff, directoryOf(copy) + 20)),
      /lacks its 64-bit/,
    ],
    ["an entry beyond the file", edited(two, (copy) => copy.writeUInt32LE(90_000, directoryOf(copy) + 42)), /overlaps/],
    [
      "entries in one place",
      edited(two, (copy) => copy.writeUInt32LE(0, directoryOf(copy) + 47 + 42)),
      /overlaps what begins at 0/,
    ],
    [
      "an entry twice",
      edited(two, (copy) => copy.write("a", directoryOf(copy) + 47 + 46)),
      /a second zip entry is called a/,
    ],
    ["a name that is not UTF-8", edited(two, (copy) => copy.writeUInt8(0xff, directoryOf(copy) + 46)), /not UTF-8/],
    ["a name with NUL", edited(two, (copy) => copy.writeUInt8(0, directoryOf(copy) + 46)), /contains a NUL/],
    ["an absolute name", edited(two, (copy) => copy.write("/", directoryOf(copy) + 46)), /absolute path/],
  ])("%s", (_what, bytes, message) => {
    expect(() => openZip(bytes, { name: "x.zip" })).toThrow(badFile(/^x\.zip, offset \d+: /));
    expect(() => openZip(bytes, { name: "x.zip" })).toThrow(badFile(message));
  });

  it("names that lead out of the archive", () => {
    for (const name of ["..", "a/../../b", "..\\b", "C:\\b"]) {
      const bytes = zipOf((writer) => writer.add("x".repeat(name.length), Buffer.alloc(1)));
      const copy = edited(bytes, (buffer) => buffer.write(name, directoryOf(buffer) + 46));
      expect(() => openZip(copy)).toThrow(badFile(/leads out of its folder|absolute path/));
    }
  });

  it("two end records that contradict each other", () => {
    const bytes = Buffer.from(goldenBytes("vector.pt"));
    expect(openZip(bytes).entries.size).toBe(3);
    bytes.writeUInt16LE(2, bytes.length - 12);
    bytes.writeUInt16LE(2, bytes.length - 14);
    expect(() => openZip(bytes)).toThrow(badFile(/contradict each other/));
  });

  it("a bomb, by what its entries say in sum, unless it is allowed", () => {
    const bomb = zipOf((writer) => {
      for (let i = 0; i < 5; i++) writer.add(String(i), Buffer.alloc(2 ** 24), { compress: true });
    });
    expect(() => openZip(bomb, { name: "bomb.zip" })).toThrow(
      badFile(/^bomb\.zip, .*would become 83886080 bytes, more than/),
    );
    expect(openZip(bomb, { maxOutputBytes: 2 ** 27 }).entries.size).toBe(5);
  });
});

describe("readZipEntry refuses", () => {
  const read = (bytes: Buffer, name: string) => () => {
    const archive = openZip(bytes, { name: "x.zip" });
    return readZipEntry(archive, archive.entries.get(name)!);
  };

  it.each([
    [
      "damaged data",
      "a",
      edited(two, (copy) => copy.write("F", 31)),
      /offset 31: the bytes of the zip entry a do not have/,
    ],
    [
      "a damaged header",
      "a",
      edited(two, (copy) => copy.write("X", 0)),
      /offset 0: the header of the zip entry a is expected/,
    ],
    ["another name in the header", "a", edited(two, (copy) => copy.write("c", 30)), /another name in its own header/],
    [
      "a header that pushes the data into the next entry",
      "a",
      edited(two, (copy) => copy.writeUInt16LE(9, 28)),
      /overlaps/,
    ],
    ["damaged deflated data", "b", edited(two, (copy) => copy.fill(0xff, 67, 70)), /cannot be unpacked to 1000 bytes/],
  ])("%s", (_what, name, bytes, message) => {
    expect(read(bytes, name)).toThrow(badFile(/^x\.zip, offset \d+: /));
    expect(read(bytes, name)).toThrow(badFile(message));
  });

  it("an entry that unpacks to more or less than it announces, without unpacking more", () => {
    const raw = deflateRawSync(Buffer.alloc(100_000));
    for (const [said, message] of [
      [50, /cannot be unpacked to 50 bytes/],
      [200_000, /unpacks to 100000 bytes, but announces 200000/],
    ] as const) {
      const bytes = zipOf((writer) => writer.add("a", Buffer.alloc(100_000), { compress: true }));
      expect(bytes.includes(raw)).toBe(true);
      const lying = edited(bytes, (copy) => copy.writeUInt32LE(said, directoryOf(copy) + 24));
      expect(read(lying, "a")).toThrow(badFile(message));
    }
  });
});

describe("a ZipWriter", () => {
  it("refuses names that are there or lead out, and calls in a wrong order", () => {
    const writer = new ZipWriter(() => {});
    writer.add("a", Buffer.alloc(1));
    for (const name of ["a", "", "/a", "../a", "a\0"]) {
      expect(() => writer.add(name, Buffer.alloc(1))).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    }
    expect(() => writer.add("x".repeat(70_000), Buffer.alloc(1))).toThrow("70000 bytes long");
    expect(() => writer.write(Buffer.alloc(1))).toThrow("outside begin and end");
    expect(() => writer.end()).toThrow("without begin");
    writer.begin("b");
    expect(() => writer.add("c", Buffer.alloc(1))).toThrow("before b has ended");
    expect(() => writer.finish()).toThrow("b was not ended");
    writer.end();
    writer.finish();
    expect(() => writer.finish()).toThrow("twice");
    expect(() => writer.add("d", Buffer.alloc(1))).toThrow("after finish");
  });

  it("cannot be resumed within an entry, behind a streamed one, or from other bytes", () => {
    const pieces: Buffer[] = [];
    const writer = new ZipWriter((bytes) => pieces.push(Buffer.from(bytes)));
    writer.add("a", Buffer.alloc(10));
    const whole = Buffer.concat(pieces);
    expect(resumeZip(whole).bytes).toBe(41);
    expect(() => resumeZip(whole.subarray(0, 40), "x.zip")).toThrow(
      badFile(/^x\.zip, offset 40: the file ends within/),
    );
    expect(() => resumeZip(Buffer.alloc(40))).toThrow(badFile(/header of a zip entry is expected/));
    writer.begin("b");
    writer.end();
    expect(() => resumeZip(Buffer.concat(pieces))).toThrow(badFile(/streamed/));
  });
});
