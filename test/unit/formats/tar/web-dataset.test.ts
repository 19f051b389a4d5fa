import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { encodeTarEntry, tarEnd } from "../../../../src/formats/tar/encode-tar-entry.ts";
import { encodeWebDatasetSample } from "../../../../src/formats/tar/encode-web-dataset-sample.ts";
import { readTar } from "../../../../src/formats/tar/read-tar.ts";
import { readWebDataset } from "../../../../src/formats/tar/read-web-dataset.ts";
import { sumHeader } from "../../../../src/formats/tar/tar-layout.ts";
import { openWebDatasetWriter, readWebDatasetFile } from "../../../../src/formats/tar/web-dataset-file.ts";
import { golden, goldenJson } from "../../../support/formats/format-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const tar = (...pieces: Uint8Array[]) => toByteSource(Buffer.concat([...pieces, tarEnd]), "x.tar");
const textOf = (value: unknown) => Buffer.from(value as Uint8Array).toString();

describe("readWebDataset", () => {
  it.each(["python-gnu", "python-pax", "gnu-tar"])("reads the golden shard %s", (name) => {
    const expected = goldenJson<Record<string, Record<string, string>>>("tar/expected.json");
    const samples = [...readWebDataset(toByteSource(golden(`tar/${name}.tar`)))];
    const shown = samples.map(({ __key__, ...files }) => [
      __key__,
      Object.fromEntries(Object.entries(files).map(([extension, bytes]) => [extension, textOf(bytes)])),
    ]);
    expect(Object.fromEntries(shown)).toEqual(expected);
  });

  it("reads names in two parts, as ustar has them", () => {
    const keys = [...readWebDataset(toByteSource(golden("tar/python-ustar.tar")))].map(({ __key__ }) => __key__);
    expect(keys).toContain(`${"a".repeat(90)}/${"b".repeat(60)}`);
  });

  it("decodes JSON and text where that is wanted", () => {
    const source = tar(
      encodeWebDatasetSample({
        __key__: "a",
        json: { n: [1, 2] },
        txt: "grüß",
        cls: 7,
        "x.json": "y",
        wav: Buffer.of(1),
      }),
    );
    expect([...readWebDataset(source, { decode: true })]).toEqual([
      { __key__: "a", json: { n: [1, 2] }, txt: "grüß", cls: "7", "x.json": "y", wav: Uint8Array.of(1) },
    ]);
  });

  it("refuses a sample with two files of the same extension", () => {
    const source = tar(encodeTarEntry("a.wav", Buffer.of(1)), encodeTarEntry("a.WAV", Buffer.of(2)));
    expect(() => [...readWebDataset(source)]).toThrowError(/x\.tar, offset 1536: "a\.WAV" comes twice/);
  });

  it.each(["a.__proto__", "a.__key__"])("refuses the reserved extension of %s", (name) => {
    expect(() => [...readWebDataset(tar(encodeTarEntry(name, Buffer.of(1))))]).toThrowError("reserved extension");
  });

  it("says which file is not JSON", () => {
    const source = tar(encodeTarEntry("a.json", Buffer.from("{")));
    expect(() => [...readWebDataset(source, { decode: true })]).toThrowError('x.tar, offset 512: "a.json" is not JSON');
  });
});

describe("readTar", () => {
  const whole = Buffer.concat([
    encodeTarEntry("a.wav", Buffer.alloc(700, 1)),
    encodeTarEntry("ü.wav", Buffer.of(1)),
    tarEnd,
  ]);

  it("refuses every cut, also between entries", () => {
    for (let length = 0; length < whole.length - 512; length += 7) {
      expect(() =>
        [...readTar(toByteSource(whole.subarray(0, length), "x.tar"))].map((entry) => entry.read()),
      ).toThrowError(
        expect.objectContaining({ code: "BAD_FILE", message: expect.stringMatching(/^x\.tar, offset \d+: /) }),
      );
    }
  });

  it("refuses a header whose checksum is wrong", () => {
    expect(() => [...readTar(toByteSource(Buffer.from(whole.with(0, 0x62)), "x.tar"))]).toThrowError(
      "its checksum is wrong",
    );
  });

  /** An entry with a changed header and the right checksum. */
  function changed(change: (header: Buffer) => void): Uint8Array {
    const bytes = Buffer.from(encodeTarEntry("a.wav", Buffer.of(1)));
    change(bytes);
    bytes.write(`${sumHeader(bytes.subarray(0, 512)).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return bytes;
  }

  it.each<[string, (header: Buffer) => void, string]>([
    ["an absurd size", (header) => header.write("77777777777", 124), "needs 8589934591 bytes"],
    ["a size that is no number", (header) => header.write("zzzzz", 124), "is not a number"],
    [
      "a size in base 256 beyond all files",
      (header) => header.fill(0xff, 125, 136).writeUInt8(0x80, 124),
      "is not a number",
    ],
    ["a negative size", (header) => header.fill(0xff, 124, 136), "is not a number"],
    ["a sparse file", (header) => header.write("S", 156), "sparse"],
    ["a name that is not UTF-8", (header) => header.writeUInt8(0xff, 0), "is not UTF-8"],
    ["an extended header that is none", (header) => header.write("x", 156), "not made of lengths"],
  ])("refuses %s", (_, change, why) => {
    expect(() => [...readTar(tar(changed(change)))]).toThrowError(expect.objectContaining({ code: "BAD_FILE" }));
    expect(() => [...readTar(tar(changed(change)))]).toThrowError(why);
  });

  /** A pax header that names the next entry. */
  const paxPath = (name: string): Uint8Array => {
    const rest = ` path=${name}\n`;
    const digits = rest.length + 1 < 10 ? 1 : 2;
    const record = Buffer.from(`${rest.length + digits}${rest}`);
    const bytes = Buffer.from(encodeTarEntry("PaxHeader", record));
    bytes.write("x", 156);
    bytes.write(`${sumHeader(bytes.subarray(0, 512)).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return bytes;
  };

  it.each(["../x.wav", "/x.wav", "a/../../x.wav", "a/..", "..", "..\\x.wav", ""])(
    "refuses the name %j: what is written under it would leave the folder",
    (name) => {
      const plain = changed((header) => header.fill(0, 0, 100).write(name));
      const message = `x.tar, offset 0: the name ${JSON.stringify(name)} of an entry`;
      expect(() => [...readTar(tar(plain))]).toThrowError(message);
      const inPax = tar(paxPath(name), encodeTarEntry("a.wav", Buffer.of(1)));
      expect(() => [...readTar(inPax)]).toThrowError(`x.tar, offset 1024: the name ${JSON.stringify(name)}`);
    },
  );

  it.each(["a/b/000.wav", "./000.wav", "a..b/c...wav", "..a.wav", "ü b/x.wav", "C:\\a b.wav"])(
    "reads the name %j",
    (name) => {
      const [entry] = readTar(tar(changed((header) => header.fill(0, 0, 100).write(name))));
      expect(entry).toMatchObject({ name, kind: "file" });
    },
  );

  it("reads samples whose names begin with ./", () => {
    const source = tar(changed((header) => header.write("./000.wav")));
    expect([...readWebDataset(source)]).toEqual([{ __key__: "./000", wav: Uint8Array.of(1) }]);
  });

  it.each([
    ["1", "hard-link"],
    ["2", "symbolic-link"],
    ["3", "other"],
    ["5", "directory"],
    ["6", "other"],
  ])("has no content for an entry of type %s, so that a size hides no entry", (type, kind) => {
    const link = changed((header) => {
      header.write("a.lnk", 0);
      header.write(type, 156);
      header.write("00000002000", 124);
    }).subarray(0, 512);
    const entries = [...readTar(tar(link, encodeTarEntry("b.wav", Buffer.of(7))))];
    expect(entries).toMatchObject([
      { name: "a.lnk", kind, sizeBytes: 0 },
      { name: "b.wav", kind: "file", sizeBytes: 1 },
    ]);
    expect(entries.map((entry) => [...entry.read()])).toEqual([[], [7]]);
  });

  it("reads sizes in base 256", () => {
    const [entry] = readTar(
      tar(changed((header) => header.fill(0, 124, 136).writeUInt8(0x80, 124) && header.writeUInt8(1, 135))),
    );
    expect(entry).toMatchObject({ name: "a.wav", sizeBytes: 1 });
  });
});

describe("encodeWebDatasetSample", () => {
  const parts = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((part) => !/[./\0\p{Surrogate}]/u.test(part));
  const keys = fc.array(parts, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
  const extensions = fc.stringMatching(/^[a-z0-9]{1,5}(\.[a-z0-9]{1,5})?$/);
  const samples = fc.tuple(
    keys,
    fc.dictionary(extensions, fc.uint8Array({ maxLength: 1200 }), { minKeys: 1, maxKeys: 4 }),
  );

  it("gives samples that are read back as what was written", () => {
    fc.assert(
      fc.property(fc.uniqueArray(samples, { selector: ([key]) => key, maxLength: 4 }), (written) => {
        const source = tar(...written.map(([__key__, files]) => encodeWebDatasetSample({ __key__, ...files })));
        const back = [...readWebDataset(source)].map(({ __key__, ...files }) => [__key__, { ...files }]);
        expect(back).toEqual(written.map(([key, files]) => [key, { ...files }]));
      }),
    );
  });

  it("gives the same bytes whatever order the files come in", () => {
    const [a, b] = [
      encodeWebDatasetSample({ __key__: "k", wav: "1", json: 2 }),
      encodeWebDatasetSample({ json: 2, wav: "1", __key__: "k" }),
    ];
    expect(Buffer.compare(a, b)).toBe(0);
  });

  it.each([
    ["a key with a dot in its last part", { __key__: "sp0.9-a", wav: "x" }],
    ["a key that leaves the folder", { __key__: "../a", wav: "x" }],
    ["an absolute key", { __key__: "/a", wav: "x" }],
    ["a key that ends in a slash", { __key__: "a/", wav: "x" }],
    ["a key with a zero byte", { __key__: "a\0b", wav: "x" }],
    ["an empty key", { __key__: "", wav: "x" }],
    ["no files", { __key__: "a" }],
    ["an extension with a slash", { __key__: "a", "../b": "x" }],
    ["an extension in capitals", { __key__: "a", WAV: "x" }],
    ["an object that is not JSON", { __key__: "a", wav: { x: 1 } }],
    ["JSON that has no text", { __key__: "a", json: 1n }],
  ])("refuses %s", (_, sample) => {
    expect(() => encodeWebDatasetSample(sample)).toThrowError(expect.objectContaining({ code: "BAD_RECORD" }));
  });
});

describe("openWebDatasetWriter", () => {
  it("begins a new shard at the limit of samples", () => {
    const folder = temporaryFolder();
    const writer = openWebDatasetWriter(folder, { maxSamples: 2, prefix: "train", firstShard: 7 });
    for (let i = 0; i < 5; i++) writer.write({ __key__: `utt${i}`, txt: `${i}` });
    const shards = writer.close();
    expect(shards.map(({ name, samples }) => [name, samples])).toEqual([
      ["train-000007.tar", 2],
      ["train-000008.tar", 2],
      ["train-000009.tar", 1],
    ]);
    expect(readdirSync(folder).sort()).toEqual(shards.map(({ name }) => name));
    for (const { name, sizeBytes } of shards) expect(readFileSync(join(folder, name)).length).toBe(sizeBytes);
    const keys = shards.flatMap(({ name }) =>
      [...readWebDatasetFile(join(folder, name))].map(({ __key__ }) => __key__),
    );
    expect(keys).toEqual(["utt0", "utt1", "utt2", "utt3", "utt4"]);
  });

  it("begins a new shard before the limit of bytes, and takes a sample that is larger than it", () => {
    const folder = temporaryFolder();
    const writer = openWebDatasetWriter(folder, { maxBytes: 4096 });
    for (const size of [512, 512, 10_000, 1]) writer.write({ __key__: `s${size}`, bin: Buffer.alloc(size) });
    const shards = writer.close();
    expect(shards.map(({ samples }) => samples)).toEqual([2, 1, 1]);
    expect(shards.map(({ sizeBytes }) => sizeBytes <= 4096)).toEqual([true, false, true]);
  });

  it("writes nothing where there are no samples, and refuses limits that cannot be kept", () => {
    const folder = temporaryFolder();
    expect(openWebDatasetWriter(folder).close()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    expect(() => openWebDatasetWriter(folder, { maxSamples: 0 })).toThrowError("maxSamples should be above 0");
  });

  const long = `ordner/${"ü".repeat(120)}`;
  function writeOne(): string {
    const folder = temporaryFolder();
    const writer = openWebDatasetWriter(folder);
    writer.write({ __key__: long, wav: Buffer.from("RIFF"), json: { a: "ä" } });
    writer.write({ __key__: "b", txt: "ok" });
    writer.close();
    return join(folder, "shard-000000.tar");
  }

  it("is read by GNU tar", (context) => {
    if (spawnSync("tar", ["--version"]).status !== 0) context.skip("tar is missing");
    const path = writeOne();
    const folder = mkdtempSync(join(temporaryFolder(), "out-"));
    const { stderr, status } = spawnSync("tar", ["-xf", path, "-C", folder], { encoding: "utf8" });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(readFileSync(join(folder, `${long}.json`), "utf8")).toBe('{"a":"ä"}');
    expect(readFileSync(join(folder, `${long}.wav`), "utf8")).toBe("RIFF");
    expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("ok");
  });

  it("is read by Python, and has no times and no owners", (context) => {
    if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is missing");
    const script = fileURLToPath(new URL("../../../fixtures/formats/read-formats.py", import.meta.url));
    const { stdout, stderr } = spawnSync("python3", [script, "tar", writeOne()], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([
      [`${long}.json`, 0, 0, "", Buffer.from('{"a":"ä"}').toString("hex")],
      [`${long}.wav`, 0, 0, "", Buffer.from("RIFF").toString("hex")],
      ["b.txt", 0, 0, "", Buffer.from("ok").toString("hex")],
    ]);
  });

  it("refuses a shard that was cut off", () => {
    const path = writeOne();
    writeFileSync(path, readFileSync(path).subarray(0, -1024));
    expect(() => [...readWebDatasetFile(path)]).toThrowError(
      /shard-000000\.tar, offset \d+: a header \(or the two empty blocks/,
    );
  });
});
