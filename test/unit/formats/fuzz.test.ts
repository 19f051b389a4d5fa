// Damaged files of every kind: a reader gives a value or an error that names file and place, and asks for no more memory
// than the file warrants. MILLRACE_FUZZ_INPUTS and MILLRACE_SEED ask for more, or for the same again.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ByteSource, toByteSource } from "../../../src/formats/byte-source.ts";
import { isNdArray } from "../../../src/formats/nd-array.ts";
import { decodeNpy } from "../../../src/formats/npy/decode-npy.ts";
import { decodeNpz } from "../../../src/formats/npy/open-npz.ts";
import { decodePt } from "../../../src/formats/pt/decode-pt.ts";
import { openZip } from "../../../src/formats/zip/open-zip.ts";
import { readZipEntry } from "../../../src/formats/zip/read-zip-entry.ts";
import { resumeZip } from "../../../src/formats/zip/resume-zip.ts";
import { MillraceError } from "../../../src/shared/errors.ts";
import { goldenBytes, goldenFiles } from "../../fixtures/formats/golden.ts";
import { mutate, seededRandom } from "../../fixtures/formats/mutate.ts";
import { mostBytes, usedBytes } from "../../fixtures/formats/used-bytes.ts";
import { withPickle } from "../../fixtures/formats/with-pickle.ts";

const inputs = Number(process.env["MILLRACE_FUZZ_INPUTS"] ?? 100_000);
const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);

// Errors are made by the ten thousand here; their stacks would take most of the time.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

interface Reader {
  readonly originals: readonly Buffer[];
  /** Reads everything in it; says how many bytes came out. */
  readonly read: (source: ByteSource) => number;
  /** Mutates something inside and packs it again, so that checksums do not hide it. */
  readonly mutateInside?: (original: Buffer, random: (below: number) => number) => Buffer;
}

const bytesOf = (name: "npy" | "npz" | "zip" | "pt") => goldenFiles(name).map(({ bytes }) => bytes);

function sizeOf(value: unknown): number {
  if (isNdArray(value)) return value.data.byteLength;
  if (value instanceof Map) return [...value.values()].reduce<number>((sum, item) => sum + sizeOf(item), 0);
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + sizeOf(item), 0) : 8;
}

function readEntries(source: ByteSource): number {
  const archive = openZip(source);
  let bytes = 0;
  for (const entry of archive.entries.values()) bytes += readZipEntry(archive, entry).length;
  return bytes;
}

interface Parts {
  readonly pickle: Buffer;
  readonly storages: Readonly<Record<string, Buffer>>;
}

function partsOf(original: Buffer): Parts {
  const archive = openZip(original);
  const all = [...archive.entries.values()].map((entry) => [entry.name, readZipEntry(archive, entry)] as const);
  const storages = all.flatMap(([name, bytes]) => {
    const key = /\/data\/(\w+)$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, bytes] as const];
  });
  return { pickle: all.find(([name]) => name.endsWith("/data.pkl"))![1], storages: Object.fromEntries(storages) };
}

const zippedPt = bytesOf("pt").filter((bytes) => bytes.readUInt16LE(0) === 0x4b50);
const parts = new Map(zippedPt.map((bytes) => [bytes, partsOf(bytes)]));

function mutatePickle(original: Buffer, random: (below: number) => number): Buffer {
  const { pickle, storages } = parts.get(original)!;
  return withPickle(mutate(pickle, random), storages);
}

const readers: Record<string, Reader> = {
  npy: { originals: bytesOf("npy"), read: (source) => sizeOf(decodeNpy(source)) },
  npz: {
    originals: bytesOf("npz"),
    read: (source) => {
      const npz = decodeNpz(source);
      return npz.names.reduce((sum, name) => sum + sizeOf(npz.get(name)), 0);
    },
  },
  zip: { originals: bytesOf("zip"), read: readEntries },
  "interrupted zip": {
    originals: [goldenBytes("stored.npz"), goldenBytes("plain.zip")].map((bytes) =>
      bytes.subarray(0, bytes.readUInt32LE(bytes.length - 6)),
    ),
    read: (source) => resumeZip(source).entries.length,
  },
  pt: { originals: zippedPt, read: (source) => sizeOf(decodePt(source)), mutateInside: mutatePickle },
  "legacy pt": { originals: [goldenBytes("legacy.pt")], read: (source) => sizeOf(decodePt(source)) },
};

/** A source that remembers the largest piece that was asked for. */
function watched(bytes: Buffer): { source: ByteSource; largest: () => number } {
  const inner = toByteSource(bytes, "fuzzed");
  let largest = 0;
  const read = (offset: number, length: number) => {
    const piece = inner.read(offset, length);
    largest = Math.max(largest, length);
    return piece;
  };
  return { source: { name: "fuzzed", size: bytes.length, read }, largest: () => largest };
}

/** The engine itself takes memory now and then, for code that it compiles; a reader that does takes it every time. */
function leastTaken(read: Reader["read"], bytes: Buffer): number {
  const taken = Array.from({ length: 8 }, () => {
    const before = usedBytes();
    try {
      read(toByteSource(bytes, "fuzzed"));
    } catch {
      // How it ends was looked at before.
    }
    return usedBytes() - before;
  });
  return Math.min(...taken);
}

describe.each(Object.keys(readers))("a damaged file (%s)", (kind) => {
  it(`is read or refused by name and place, and takes memory in proportion (MILLRACE_SEED=${seed})`, {
    timeout: 300_000,
  }, () => {
    const { originals, read, mutateInside } = readers[kind]!;
    const count = inputs;
    const random = seededRandom(seed);
    let refused = 0;
    for (let i = 0; i < count; i++) {
      const original = originals[random(originals.length)]!;
      const change = mutateInside !== undefined && random(2) === 0 ? mutateInside : mutate;
      const bytes = change(original, random);
      const { source, largest } = watched(bytes);
      const before = usedBytes();
      const tell = () => `input ${i} of seed ${seed}: ${bytes.toString("base64")}`;
      try {
        const size = read(source);
        // The deflated golden files unpack to less than four times their size.
        if (size > 4 * bytes.length + 64) throw new Error(`${size} bytes came out of ${bytes.length}`);
      } catch (error) {
        if (
          !(error instanceof MillraceError) ||
          error.code !== "BAD_FILE" ||
          !/^fuzzed.*, offset \d+: /.test(error.message)
        ) {
          throw new Error(`${String(error)} (${tell()})`, { cause: error });
        }
        refused++;
      }
      const taken = usedBytes() - before;
      if (taken > mostBytes(bytes) && leastTaken(read, bytes) > mostBytes(bytes)) {
        throw new Error(`${taken} bytes of memory were taken (${tell()})`);
      }
      if (largest() > bytes.length) throw new Error(`a piece of ${largest()} bytes was asked for (${tell()})`);
    }
    // Neither everything nor nothing is refused: the mutations reach behind the first check.
    expect(refused).toBeGreaterThan(count / 10);
    expect(refused).toBeLessThan(count);
  });
});
