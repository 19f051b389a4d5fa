import { encodeWebDatasetSample } from "../../../src/formats/tar/encode-web-dataset-sample.ts";
import { readTar } from "../../../src/formats/tar/read-tar.ts";
import { readWebDataset } from "../../../src/formats/tar/read-web-dataset.ts";
import { blockBytes, fields, sumHeader } from "../../../src/formats/tar/tar-layout.ts";
import { readWebDatasetFile } from "../../../src/formats/tar/web-dataset-file.ts";
import { openZip } from "../../../src/formats/zip/open-zip.ts";
import { readZipEntry } from "../../../src/formats/zip/read-zip-entry.ts";
import { resumeZip } from "../../../src/formats/zip/resume-zip.ts";
import { golden } from "../../support/formats/format-files.ts";
import { goldenBytes } from "../../support/formats/golden.ts";
import { deflatedZeros, mutateEntries, oddNames } from "../mutate-archive.ts";
import { byteMutators, splice, writeNumber } from "../mutate-bytes.ts";
import { packZip } from "../pack-zip.ts";
import type { Random } from "../random.ts";
import { sourceOf } from "../read-either.ts";
import { type Mutator, modest, placed, type Reader, WrongValue } from "../reader.ts";
import { honestFiles } from "./arrays.ts";

const anyMutator: Mutator = (bytes, random) => (bytes.length === 0 ? bytes : random.pick(byteMutators)(bytes, random));

/** A name that a caller would put behind a folder must stay within it. */
function checkName(name: string): void {
  if (name.startsWith("/") || name.split("/").includes("..") || name.includes("\0")) {
    throw new WrongValue(`the name ${JSON.stringify(name.slice(0, 80))} leaves the folder`);
  }
}

export const zip: Reader = {
  covers: ["openZip", "readZipEntry"],
  seeds: () => honestFiles("zip"),
  bombs: [
    () => deflatedZeros("zeros"),
    () => packZip(Array.from({ length: 60_000 }, (_, i) => ({ name: `${i}`, data: Buffer.alloc(0) }))),
  ],
  mutators: [mutateEntries(anyMutator)],
  named: placed,
  memory: { constantBytes: 8 << 20, perByte: 1100 },
  read: (input) => {
    const archive = openZip(sourceOf(input));
    for (const entry of archive.entries.values()) readZipEntry(archive, entry);
  },
};

export const interruptedZip: Reader = {
  covers: [],
  seeds: () =>
    [goldenBytes("stored.npz"), goldenBytes("plain.zip")].map((bytes) =>
      bytes.subarray(0, bytes.readUInt32LE(bytes.length - 6)),
    ),
  memory: modest,
  named: placed,
  read: (input) => resumeZip(sourceOf(input)),
};

const types = "01234567xgLKSVDMNAZ\0";

/** Changes a field of one header block, or puts an entry of another kind before it. */
function mutateHeader(bytes: Buffer, random: Random): Buffer {
  const at = random.below(Math.floor(bytes.length / blockBytes)) * blockBytes;
  if (at + blockBytes > bytes.length) return bytes;
  const set = (field: readonly [number, number], text: string): void => {
    bytes.fill(0, at + field[0], at + field[0] + field[1]);
    bytes.write(text.slice(0, field[1]), at + field[0], "latin1");
  };
  switch (random.below(7)) {
    case 0:
      set(fields.name, random.pick(oddNames));
      break;
    case 1:
      set(fields.size, random.pick(["0", "1", "777", "77777777777", "-1", "00000001000", " 12", "9", "1e3", "0x10"]));
      break;
    case 2:
      // In bytes instead of digits.
      bytes[at + fields.size[0]] = random.pick([0x80, 0xff]);
      writeNumber(bytes, at + fields.size[0] + 4, 8, false, random.pick([0n, -1n, 512n, 1n << 40n, 1n << 62n]));
      break;
    case 3:
      set(fields.prefix, random.pick(oddNames));
      break;
    case 4:
      bytes[at + fields.type[0]] = types.charCodeAt(random.below(types.length));
      break;
    case 5: {
      const extra = extendedHeader(random);
      return splice(bytes, at, 0, extra);
    }
    default:
      bytes.write(random.pick(["ustar  \0", "ustar\x0000", "\0\0\0\0\0\0\0\0"]), at + fields.magic[0], "latin1");
  }
  return bytes;
}

function extendedHeader(random: Random): Buffer {
  const value = random.pick([...oddNames, "5", "99999999999999999999", "-1", "1e9"]);
  const record = ` ${random.pick(["path", "size", "linkpath", "GNU.sparse.size", "hdrcharset"])}=${value}\n`;
  const length = Buffer.byteLength(record) + String(Buffer.byteLength(record)).length;
  const isPax = random.chance(0.7);
  const text = isPax ? `${random.chance(0.9) ? length : random.pick([0, 1, 4096, -3])}${record}` : value;
  const content = Buffer.from(text.repeat(random.pick([1, 1, 2, 50])));
  const block = Buffer.alloc(blockBytes);
  block.write("././@LongLink", "latin1");
  block.write(`${content.length.toString(8).padStart(11, "0")}\0`, fields.size[0], "latin1");
  block[fields.type[0]] = (isPax ? random.pick(["x", "g"]) : random.pick(["L", "K"])).charCodeAt(0);
  block.write("ustar\x0000", fields.magic[0], "latin1");
  return Buffer.concat([block, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}

/** Corrects the checksum of every header. */
function repairTar(bytes: Buffer): Buffer {
  for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.write(`${sumHeader(block).toString(8).padStart(6, "0")}\0 `, fields.checksum[0], "latin1");
  }
  return bytes;
}

const ownShard = (): Buffer =>
  Buffer.concat([
    encodeWebDatasetSample({ __key__: "ünï", json: { a: 1 }, wav: new Uint8Array(20) }),
    encodeWebDatasetSample({ __key__: "b", txt: "hello" }),
    new Uint8Array(1024),
  ]);

const emptyEntries = (count: number): Buffer => {
  const entry = ownShard().subarray(0, blockBytes);
  entry.write("00000000000\0", fields.size[0], "latin1");
  return repairTar(Buffer.concat([...Array.from({ length: count }, () => entry), Buffer.alloc(1024)]));
};

const tarSeeds = (): Buffer[] => [
  ownShard(),
  ...["gnu-tar", "python-gnu", "python-pax", "python-ustar"].map((name) => Buffer.from(golden(`tar/${name}.tar`))),
];

export const tar: Reader = {
  covers: ["readTar"],
  seeds: tarSeeds,
  bombs: [() => emptyEntries(2000)],
  mutators: [mutateHeader],
  repair: repairTar,
  memory: { constantBytes: 2 << 20, perByte: 8 },
  read: (input) => {
    for (const entry of readTar(sourceOf(input))) {
      checkName(entry.name);
      if (entry.kind === "file") entry.read();
    }
  },
};

export const webDataset: Reader = {
  covers: ["readWebDataset", "readWebDatasetFile"],
  seeds: tarSeeds,
  mutators: [mutateHeader],
  repair: repairTar,
  memory: { constantBytes: 2 << 20, perByte: 8 },
  read: (input) => {
    const options = { decode: input.random.chance(0.5) };
    const samples = input.random.chance(1 / 16)
      ? readWebDatasetFile(input.file(), options)
      : readWebDataset(sourceOf(input), options as { decode: true });
    for (const { __key__ } of samples) {
      if (__key__ === "") throw new WrongValue("a sample without a key");
      checkName(__key__);
    }
  },
};
