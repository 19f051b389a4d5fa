import { badAudio } from "../bad-audio.ts";
import { viewOf } from "../view-of.ts";
import { bytesOf, type Encoding, type PcmLayout } from "./pcm-layout.ts";

/** A layout without the position of the samples. */
export type WaveFormat = Omit<PcmLayout, "dataOffset" | "dataBytes">;

const formatTags = { pcm: 1, msAdpcm: 2, float: 3, alaw: 6, mulaw: 7, imaAdpcm: 0x11, extensible: 0xfffe } as const;
// The end of the GUID that contains a format tag in WAVE_FORMAT_EXTENSIBLE.
const guidTail = "800000aa00389b71";

const tagNames: Readonly<Record<number, string>> = {
  49: "GSM 6.10",
  80: "MPEG",
  85: "MP3",
  146: "AC-3",
  255: "AAC",
  353: "WMA",
  61868: "FLAC",
};

/** Parses the `fmt ` chunk, which WAV, RF64, BW64 and Wave64 share. */
export function parseWaveFormat(name: string, chunk: Uint8Array, isLittleEndian: boolean): WaveFormat {
  if (chunk.length < 16) {
    throw broken(name, `has a fmt chunk of ${chunk.length} bytes, at least 16 are needed`);
  }
  const view = viewOf(chunk);
  const channels = view.getUint16(2, isLittleEndian);
  const sampleRate = view.getUint32(4, isLittleEndian);
  const blockBytes = view.getUint16(12, isLittleEndian);
  const bits = view.getUint16(14, isLittleEndian);
  const tag = readTag(name, chunk, view, isLittleEndian);
  if (channels === 0) throw broken(name, "has a header that says 0 channels");
  const base = { isLittleEndian, sampleRate, channels, blockBytes };
  if (tag === formatTags.imaAdpcm) return { ...base, encoding: "ima", framesPerBlock: imaFrames(name, base, bits) };
  if (tag === formatTags.msAdpcm) return { ...base, ...msAdpcm(name, base, bits, view) };
  const encoding = encodingOf(name, tag, bits);
  const expected = channels * bytesOf[encoding as keyof typeof bytesOf];
  if (blockBytes !== expected) {
    const what = `has a header that contradicts itself: ${channels} channels of ${bits} bits, blocks of ${blockBytes} bytes`;
    throw broken(name, what);
  }
  return { ...base, encoding, framesPerBlock: 1 };
}

/** The format tag, which WAVE_FORMAT_EXTENSIBLE stores in a GUID. */
function readTag(name: string, chunk: Uint8Array, view: DataView, isLittleEndian: boolean): number {
  const tag = view.getUint16(0, isLittleEndian);
  if (tag !== formatTags.extensible) return tag;
  if (chunk.length < 40) throw broken(name, `has an extensible fmt chunk of ${chunk.length} bytes, 40 are needed`);
  if (Buffer.from(chunk.subarray(32, 40)).toString("hex") !== guidTail) {
    const guid = Buffer.from(chunk.subarray(24, 40)).toString("hex");
    throw unsupported(name, `is WAV of an unknown extensible kind (GUID ${guid})`);
  }
  return view.getUint32(24, isLittleEndian);
}

function encodingOf(name: string, tag: number, bits: number): Encoding {
  if (bits === 0) throw broken(name, "has a header that says 0 bits per sample");
  if (tag === formatTags.pcm) {
    // Samples that do not fill their bytes may be at either end: a guess could be 24 dB off.
    if (bits === 8) return "u8";
    if (bits === 16 || bits === 24 || bits === 32 || bits === 64) return `s${bits}`;
    throw unsupported(name, `holds ${bits}-bit samples; 8, 16, 24, 32 and 64 are read`);
  }
  if (tag === formatTags.float) {
    if (bits === 32 || bits === 64) return `f${bits}`;
    throw unsupported(name, `holds ${bits}-bit floating point samples; 32 and 64 are read`);
  }
  if (tag === formatTags.mulaw || tag === formatTags.alaw) {
    if (bits === 8) return tag === formatTags.mulaw ? "mulaw" : "alaw";
    throw broken(
      name,
      `has a header that says ${bits} bits for 8-bit ${tag === formatTags.mulaw ? "mu-law" : "A-law"}`,
    );
  }
  const known = tagNames[tag];
  throw unsupported(
    name,
    `is WAV with an unsupported codec (format tag 0x${tag.toString(16).padStart(4, "0")}${known === undefined ? "" : `, ${known}`})`,
  );
}

type Base = Pick<WaveFormat, "channels" | "blockBytes">;

function imaFrames(name: string, { channels, blockBytes }: Base, bits: number): number {
  const bytes = blockBytes - 4 * channels;
  if (bits !== 4 || bytes <= 0 || bytes % (4 * channels) !== 0) {
    throw broken(name, `has an IMA ADPCM header of ${channels} channels, ${bits} bits, blocks of ${blockBytes} bytes`);
  }
  return 1 + (bytes * 2) / channels;
}

function msAdpcm(
  name: string,
  { channels, blockBytes }: Base,
  bits: number,
  view: DataView,
): Pick<WaveFormat, "encoding" | "framesPerBlock"> & { readonly coefficients: Int16Array } {
  const bytes = blockBytes - 7 * channels;
  if (bits !== 4 || bytes < 0 || (bytes * 2) % channels !== 0 || channels > 2) {
    throw broken(name, `has an MS ADPCM header of ${channels} channels, ${bits} bits, blocks of ${blockBytes} bytes`);
  }
  const framesPerBlock = 2 + (bytes * 2) / channels;
  const count = view.byteLength >= 22 ? view.getUint16(20, true) : 0;
  if (count === 0 || count > 256 || view.byteLength < 22 + count * 4) {
    return { encoding: "ms", framesPerBlock, coefficients: usualCoefficients };
  }
  const coefficients = Int16Array.from({ length: count * 2 }, (_, i) => view.getInt16(22 + i * 2, true));
  return { encoding: "ms", framesPerBlock, coefficients };
}

const usualCoefficients = Int16Array.of(256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232);

function broken(name: string, what: string): Error {
  return badAudio(name, what, "the header is broken: make or fetch the file again");
}

function unsupported(name: string, what: string): Error {
  return badAudio(name, what, "convert it: ffmpeg -i FILE out.flac");
}
