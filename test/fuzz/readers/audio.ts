import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc8 } from "../../../src/audio/flac/flac-crc.ts";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";
import { oggCrc } from "../../../src/audio/ogg/ogg-page.ts";
import { flacBytes, flacFrame, flacFrameHeader } from "../../support/audio/flac-bytes.ts";
import { opusBytes } from "../../support/audio/opus-bytes.ts";
import { chunk, pcm16, wavBytes } from "../../support/audio/wav-bytes.ts";
import { byteMutators, splice } from "../mutate-bytes.ts";
import type { Random } from "../random.ts";
import { type Case, caseName, type Mutator, type Reader, WrongValue } from "../reader.ts";

const folder = fileURLToPath(new URL("../../golden/audio", import.meta.url));
const goldenAudio = (name: string): Buffer => readFileSync(join(folder, name));

const choices = [
  {},
  { channel: 0 },
  { channel: "all" },
  { offset: 0.0007, duration: 0.001 },
  { offset: 0.05 },
  { offset: 100_000, duration: 1 },
  { truncated: "keep" },
];

async function read(input: Case): Promise<unknown> {
  const { bytes, random, isPlain } = input;
  if (random.chance(0.1)) await probeAudio(bytes, { name: caseName });
  const from = random.chance(1 / 16) ? input.file() : bytes;
  const { samples } = await readAudio(from, { name: caseName, ...(isPlain ? {} : (random.pick(choices) as object)) });
  for (const plane of [samples].flat() as unknown as Float32Array[]) {
    if (plane.length === 0 || !plane.every(Number.isFinite)) throw new WrongValue("samples that are none");
  }
  return samples;
}

const shared = { covers: ["readAudio", "probeAudio"], codes: ["BAD_AUDIO"], hasOptions: true, read } as const;
const stored = { ...shared, memory: { constantBytes: 2 << 20, perByte: 64 } };

const values = Array.from({ length: 24 }, (_, i) => i * 1000);

const wavSeeds = (): Uint8Array[] => [
  wavBytes({ data: pcm16(...values) }),
  wavBytes({ data: pcm16(...values), channels: 2, before: [chunk("LIST", Buffer.from("INFOa"))] }),
  wavBytes({ data: new Uint8Array(Float32Array.from(values).buffer), tag: 3, bits: 32 }),
  wavBytes({ data: pcm16(...values), tag: 7, bits: 8 }),
  goldenAudio("ima.wav"),
  goldenAudio("ms.wav"),
  goldenAudio("rf64.wav"),
];

/** A chunk of any kind and size anywhere between others. */
const insertChunk: Mutator = (bytes, random) => {
  const body = Buffer.alloc(random.length(600), random.below(256));
  const id = random.pick(["data", "fmt ", "LIST", "ds64", "fact", "JUNK", "RIFF", "COMM", "SSND", "id3 ", "\0\0\0\0"]);
  const size = random.chance(0.5) ? body.length : random.pick([0, 1, 0x7fffffff, 0xffffffff, 0x80000000]);
  const at = random.chance(0.8) ? 12 : random.below(bytes.length);
  return splice(bytes, at, 0, Buffer.from(chunk(id, body, random.chance(0.8), size)));
};

export const wav: Reader = {
  ...stored,
  seeds: wavSeeds,
  bombs: [
    () =>
      wavBytes({
        data: pcm16(...values),
        before: Array.from({ length: 60_000 }, () => chunk("JUNK", Buffer.alloc(0))),
      }),
    () =>
      wavBytes({
        data: Buffer.alloc(1 << 20),
        tag: 0x11,
        bits: 4,
        blockBytes: 65_535,
        extension: Buffer.of(2, 0, 255, 255),
      }),
    () => wavBytes({ data: Buffer.alloc(1 << 20), channels: 65_535, bits: 8, blockBytes: 65_535 }),
  ],
  mutators: [insertChunk],
};

export const otherPcm: Reader = {
  ...stored,
  seeds: () => ["pcm.w64", "pcm.aiff", "float.caf", "pcm.sph", "ulaw.sph"].map(goldenAudio),
  mutators: [insertChunk],
};

/** Where frames begin in a FLAC file: at markers whose header has its checksum. */
function frameStarts(bytes: Buffer): { readonly at: number; readonly headerBytes: number }[] {
  const found: { at: number; headerBytes: number }[] = [];
  for (let at = bytes.indexOf(0xff, 42); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if ((bytes[at + 1]! & 0xfe) !== 0xf8) continue;
    for (let length = 5; length < 16; length++) {
      if (crc8(bytes, at, at + length) !== bytes[at + length]) continue;
      found.push({ at, headerBytes: length + 1 });
      break;
    }
  }
  return found;
}

/** Changes frames from within and gives header and frame the checksums that they should have. */
const mutateFrames: Mutator = (bytes, random) => {
  const starts = frameStarts(bytes);
  if (starts.length === 0) return random.pick(byteMutators)(bytes, random);
  const i = random.below(starts.length);
  const { at, headerBytes } = starts[i]!;
  const end = starts[i + 1]?.at ?? bytes.length;
  let [header, body] = [bytes.subarray(at, at + headerBytes - 1), bytes.subarray(at + headerBytes, end - 2)];
  if (random.chance(0.4)) header = random.pick(byteMutators)(Buffer.from(header), random);
  else if (body.length > 0) body = random.pick(byteMutators)(Buffer.from(body), random);
  const frame = frameOf(header, body);
  const times = random.pick([0, 1, 1, 1, 1, 2, 30]);
  return splice(bytes, at, end - at, Buffer.concat(Array.from({ length: times }, () => frame)));
};

/** A frame with the checksums of its header and of itself. */
function frameOf(header: Uint8Array, body: Uint8Array): Uint8Array {
  return flacFrame(Buffer.concat([header, Buffer.of(crc8(header, 0, header.length))]), body);
}

const longestBlock = 65_535;

/** Frames of one repeated sample: some bytes stand for 65,535 samples of each channel. */
function constantFrames(count: number, channels: number): Uint8Array {
  const silence = Buffer.alloc(3 * channels);
  const audio = Array.from({ length: count }, (_, i) =>
    flacFrame(flacFrameHeader(i, longestBlock, channels - 1), silence),
  );
  return flacBytes({ blockSize: longestBlock, channels, audio });
}

/** Headers with a sound checksum and nothing sound behind them, which a search for a frame meets one after the other. */
function falseHeaders(bodyBytes: number): Uint8Array {
  const body = Buffer.alloc(bodyBytes);
  const good = flacFrame(flacFrameHeader(0, longestBlock, 7), Buffer.alloc(24));
  const bad = Array.from({ length: Math.floor(2_000_000 / (12 + bodyBytes)) }, (_, i) =>
    Buffer.concat([flacFrameHeader(i + 1, longestBlock, 7), body]),
  );
  return flacBytes({ blockSize: longestBlock, channels: 8, totalFrames: 2 ** 35, audio: [good, ...bad] });
}

/** Samples of 32 bits as they are. */
function verbatim32(samples: readonly number[]): Uint8Array {
  const body = Buffer.alloc(1 + 4 * samples.length);
  body[0] = 0x02;
  for (const [i, sample] of samples.entries()) body.writeInt32BE(sample, 1 + 4 * i);
  const blockSize = samples.length;
  const audio = [flacFrame(flacFrameHeader(0, blockSize), body)];
  return flacBytes({ blockSize, bits: 32, totalFrames: blockSize, audio });
}

/** 32 bits predicted from the samples before: a damaged prediction grows without end. */
function predicted32(): Uint8Array {
  const blockSize = 256;
  // Order 4, four samples as they are, then residuals of zero: a bit each, with Rice parameter 0.
  const warmUp = Buffer.alloc(16);
  for (let i = 0; i < 4; i++) warmUp.writeInt32BE(i * 100, 4 * i);
  const body = Buffer.concat([
    Buffer.of((8 + 4) << 1),
    warmUp,
    Buffer.of(0, 0x3f),
    Buffer.alloc(30, 0xff),
    Buffer.of(0xfc),
  ]);
  return flacBytes({
    blockSize,
    bits: 32,
    totalFrames: blockSize,
    audio: [flacFrame(flacFrameHeader(0, blockSize), body)],
  });
}

/** A file whose frames were reached: with no length and no digest in its header, so that changed ones are not refused early. */
function withoutLength(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file);
  if (bytes.length < 42) return bytes;
  bytes[21]! &= 0xf0;
  bytes.fill(0, 22, 42);
  return bytes;
}

export const flac: Reader = {
  ...shared,
  seeds: () => [
    goldenAudio("best.flac"),
    goldenAudio("small-blocks.flac"),
    withoutLength(goldenAudio("best.flac")),
    withoutLength(goldenAudio("small-blocks.flac")),
    constantFrames(2, 2),
    verbatim32(Array.from({ length: 20 }, (_, i) => (i - 10) * 200_000_000)),
    predicted32(),
  ],
  bombs: [
    () => constantFrames(3000, 8),
    () => falseHeaders(0),
    () => falseHeaders(26),
    () => flacBytes({ blockSize: longestBlock, audio: [Buffer.alloc(3 << 20, Buffer.of(0xff, 0xf8))] }),
  ],
  mutators: [mutateFrames, mutateFrames, mutateFrames, (bytes) => withoutLength(bytes)],
};

/** Gives every page of an Ogg file the checksum that it should have. */
function repairPages(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf("OggS"); at >= 0; ) {
    const next = bytes.indexOf("OggS", at + 4);
    const page = bytes.subarray(at, next < 0 ? bytes.length : next);
    if (page.length > 27) {
      const body = page.subarray(27, 27 + page[26]!).reduce((sum, length) => sum + length, 27 + page[26]!);
      const whole = page.subarray(0, body);
      whole.writeUInt32LE(oggCrc(whole), 22);
    }
    at = next;
  }
  return bytes;
}

function pageStarts(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf("OggS"); at >= 0; at = bytes.indexOf("OggS", at + 4)) found.push(at);
  return found;
}

/** Changes what a page says, moves pages, or changes the packets in one without its length. */
const mutatePages: Mutator = (bytes, random) => {
  const starts = pageStarts(bytes);
  if (starts.length === 0) return bytes;
  const i = random.below(starts.length);
  const [at, end] = [starts[i]!, starts[i + 1] ?? bytes.length];
  const page = Buffer.from(bytes.subarray(at, end));
  if (page.length < 28) return bytes;
  switch (random.below(7)) {
    case 0:
      page[5] = random.below(8);
      break;
    case 1:
      page.writeBigInt64LE(random.pick([0n, -1n, -2n, 1n << 40n, (1n << 63n) - 1n, -(1n << 63n)]), 6);
      break;
    case 2:
      page.writeUInt32LE(random.pick([0, 1, 0xffffffff]), random.pick([14, 18]));
      break;
    case 3:
      return splice(bytes, at, end - at, Buffer.alloc(0));
    case 4:
      return splice(bytes, random.pick(starts), 0, repeatPage(page, random));
    case 5:
      page[27 + random.below(Math.max(1, page[26]!))] = random.below(256);
      break;
    default:
      for (let left = 1 + random.below(8); left > 0; left--) {
        const place = 27 + page[26]! + random.below(Math.max(1, page.length - 27 - page[26]!));
        if (place < page.length)
          page[place] = random.chance(0.5) ? random.below(256) : page[place]! ^ (1 << random.below(8));
      }
  }
  return splice(bytes, at, end - at, page);
};

function repeatPage(page: Buffer, random: Random): Buffer {
  return Buffer.concat(Array.from({ length: random.pick([1, 2, 100]) }, () => page));
}

const emptyPages = (name: string, count: number): Buffer => {
  const file = goldenAudio(name);
  const starts = pageStarts(file);
  const page = Buffer.from(file.subarray(starts.at(-1)!, starts.at(-1)! + 27));
  page[26] = 0;
  page[5] = 0;
  const many = Array.from({ length: count }, () => page);
  return repairPages(Buffer.concat([file.subarray(0, starts.at(-1)!), ...many, file.subarray(starts.at(-1)!)]));
};

function oggReader(name: string, more: Pick<Reader, "seeds" | "bombs"> = { seeds: () => [] }): Reader {
  return {
    ...shared,
    seeds: async () => [goldenAudio(name), ...(await more.seeds())],
    bombs: [() => emptyPages(name, 30_000), ...(more.bombs ?? [])],
    mutators: [mutatePages],
    repair: repairPages,
  };
}

export const vorbis: Reader = oggReader("vorbis.ogg");
export const opus: Reader = oggReader("opus.opus", {
  seeds: () => [3, 8, 40].map((channels) => opusBytes({ channels, pages: 1 })),
  bombs: [() => opusBytes({ channels: 1, pages: 40 }), () => opusBytes({ channels: 200, pages: 4 })],
});
export const oggFlac: Reader = oggReader("flac.oga");

/** A tag before the audio whose size, in seven bits a byte, may be a lie. */
const insertId3: Mutator = (bytes, random) => {
  const body = Buffer.alloc(random.length(600));
  const size = random.chance(0.5) ? body.length : random.pick([0, 1, 0x0fffffff, bytes.length]);
  const head = Buffer.from([
    0x49,
    0x44,
    0x33,
    4,
    0,
    0,
    (size >> 21) & 127,
    (size >> 14) & 127,
    (size >> 7) & 127,
    size & 127,
  ]);
  return Buffer.concat([head, body, bytes]);
};

export const mp3: Reader = {
  ...shared,
  seeds: () => ["cbr.mp3", "mono-vbr.mp3", "untagged.mp3"].map(goldenAudio),
  bombs: [
    () => Buffer.alloc(2 << 20, Buffer.of(0xff, 0xfb, 0x90, 0x00)),
    () => Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"))),
  ],
  mutators: [insertId3],
};
