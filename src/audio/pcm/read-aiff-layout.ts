import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { fourLetters, printable, viewOf } from "../view-of.ts";
import { bytesOf, type Encoding, type PcmLayout } from "./pcm-layout.ts";
import { type Chunk, type ChunkShape, walkChunks } from "./walk-chunks.ts";

const shape: ChunkShape = {
  headerBytes: 8,
  alignment: 2,
  parse: (header) => ({ id: fourLetters(header, 0), size: header.getUint32(4) }),
};

type Common = Pick<PcmLayout, "encoding" | "isLittleEndian" | "sampleRate" | "channels" | "blockBytes"> & {
  readonly frames: number;
};

/** Finds the samples of an AIFF or (uncompressed) AIFF-C file. The description may follow the samples. */
export async function readAiffLayout(source: ByteSource): Promise<PcmLayout> {
  let common: Common | undefined;
  let sound: Chunk | undefined;
  for await (const chunk of walkChunks(source, 12, shape)) {
    if (chunk.id === "COMM") common = await readCommon(source, chunk);
    if (chunk.id === "SSND") sound = chunk;
    if (common !== undefined && sound !== undefined) break;
  }
  if (common === undefined) throw badAudio(source.name, "has no COMM chunk (AIFF)", "its header is broken");
  if (sound === undefined)
    throw badAudio(source.name, "has no SSND chunk (AIFF)", "it holds no samples: fetch it again");
  const start = viewOf(await source.read(sound.offset, 8));
  if (start.byteLength < 8) throw badAudio(source.name, "is truncated in its SSND chunk", "fetch it again");
  const dataOffset = sound.offset + 8 + start.getUint32(0);
  return { ...common, framesPerBlock: 1, dataOffset, dataBytes: common.frames * common.blockBytes };
}

async function readCommon(source: ByteSource, chunk: Chunk): Promise<Common> {
  const view = viewOf(await source.read(chunk.offset, Math.min(chunk.size, 64)));
  if (view.byteLength < 18) throw badAudio(source.name, "has a COMM chunk that is too small", "its header is broken");
  const [channels, frames, bits] = [view.getUint16(0), view.getUint32(2), view.getUint16(6)];
  const compression = view.byteLength >= 22 ? fourLetters(view, 18) : "NONE";
  if (channels === 0) throw badAudio(source.name, "has a header that says 0 channels", "its header is broken");
  const encoding = encodingOf(compression, bits);
  if (encoding === undefined) {
    const what = `is AIFF with samples of kind "${printable(compression)}", ${bits} bits, which is not read`;
    throw badAudio(source.name, what, "convert it: ffmpeg -i FILE out.flac");
  }
  return {
    encoding,
    isLittleEndian: compression === "sowt",
    sampleRate: Math.round(readExtended(view, 8)),
    channels,
    frames,
    blockBytes: channels * bytesOf[encoding],
  };
}

function encodingOf(compression: string, bits: number): Exclude<Encoding, "ima" | "ms"> | undefined {
  const key = compression.toLowerCase();
  if (key === "fl32") return "f32";
  if (key === "fl64") return "f64";
  if (key === "ulaw") return "mulaw";
  if (key === "alaw") return "alaw";
  if (key === "raw ") return "u8";
  if (!["none", "twos", "sowt", "in24", "in32"].includes(key)) return undefined;
  // Samples are at the upper end of their bytes, so 12 bits are read as 16.
  return bits < 1 || bits > 32 ? undefined : (["s8", "s16", "s24", "s32"] as const)[Math.ceil(bits / 8) - 1];
}

/** AIFF's 80-bit floating point number for the sample rate. */
function readExtended(view: DataView, at: number): number {
  const exponent = view.getUint16(at) & 0x7fff;
  const fraction = view.getUint32(at + 2) * 2 ** 32 + view.getUint32(at + 6);
  return fraction * 2 ** (exponent - 16383 - 63);
}
