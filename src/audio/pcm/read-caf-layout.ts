import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { fourLetters, printable, viewOf } from "../view-of.ts";
import { bytesOf, type Encoding, type PcmLayout } from "./pcm-layout.ts";
import { type ChunkShape, walkChunks } from "./walk-chunks.ts";

// A size of -1 (a file being written) means everything that follows.
const shape: ChunkShape = {
  headerBytes: 12,
  alignment: 1,
  parse: (header) => {
    const size = header.getBigInt64(4);
    return { id: fourLetters(header, 0), size: size === -1n ? Number.MAX_SAFE_INTEGER : Number(size) };
  },
};
// The header of the data chunk is followed by an edit count.
const editCountBytes = 4;

type Description = Omit<PcmLayout, "dataOffset" | "dataBytes">;

/** Finds the samples of an (uncompressed) Core Audio file. */
export async function readCafLayout(source: ByteSource): Promise<PcmLayout> {
  let description: Description | undefined;
  for await (const { id, offset, size } of walkChunks(source, 8, shape)) {
    if (id === "desc") description = describe(source.name, viewOf(await source.read(offset, Math.min(size, 32))));
    if (id === "data") {
      if (description === undefined) throw badAudio(source.name, "has no desc chunk (CAF)", "its header is broken");
      const dataBytes = size === Number.MAX_SAFE_INTEGER ? undefined : Math.max(0, size - editCountBytes);
      return { ...description, dataOffset: offset + editCountBytes, dataBytes };
    }
  }
  throw badAudio(source.name, "has no data chunk (CAF)", "it holds no samples: fetch it again");
}

function describe(name: string, view: DataView): Description {
  if (view.byteLength < 32) throw badAudio(name, "has a desc chunk that is too small", "its header is broken");
  const kind = fourLetters(view, 8);
  const flags = view.getUint32(12);
  const [blockBytes, framesPerBlock] = [view.getUint32(16), view.getUint32(20)];
  const [channels, bits] = [view.getUint32(24), view.getUint32(28)];
  const encoding = encodingOf(kind, (flags & 1) !== 0, bits);
  if (encoding === undefined) {
    const what = `is CAF with samples of kind "${printable(kind)}", ${bits} bits, which is not read`;
    throw badAudio(name, what, "convert it: ffmpeg -i FILE out.flac");
  }
  if (channels === 0) throw badAudio(name, "has a header that says 0 channels", "its header is broken");
  if (blockBytes !== channels * bytesOf[encoding] || framesPerBlock !== 1) {
    throw badAudio(
      name,
      `has a header that contradicts itself: ${channels} channels, ${blockBytes} bytes`,
      "fetch it again",
    );
  }
  const isLittleEndian = (flags & 2) !== 0;
  return { encoding, isLittleEndian, sampleRate: Math.round(view.getFloat64(0)), channels, blockBytes, framesPerBlock };
}

function encodingOf(kind: string, isFloat: boolean, bits: number): Exclude<Encoding, "ima" | "ms"> | undefined {
  if (kind === "ulaw") return "mulaw";
  if (kind === "alaw") return "alaw";
  if (kind !== "lpcm") return undefined;
  if (isFloat) return bits === 32 ? "f32" : bits === 64 ? "f64" : undefined;
  return bits === 8 ? "s8" : bits === 16 || bits === 24 || bits === 32 ? `s${bits}` : undefined;
}
