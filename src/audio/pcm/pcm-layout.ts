import type { AudioWarning } from "../audio.ts";

/** The encoding of one sample, or of one block of ADPCM. */
export type Encoding = "u8" | "s8" | "s16" | "s24" | "s32" | "s64" | "f32" | "f64" | "mulaw" | "alaw" | "ima" | "ms";

/** Position and encoding of a file's samples: everything that the container formats describe. */
export interface PcmLayout {
  readonly encoding: Encoding;
  readonly isLittleEndian: boolean;
  readonly sampleRate: number;
  readonly channels: number;
  /** Bytes of one block: a sample of each channel, or a block of ADPCM. */
  readonly blockBytes: number;
  readonly framesPerBlock: number;
  readonly dataOffset: number;
  /** The announced size; undefined if it was written before the end was known: then everything that follows. */
  readonly dataBytes: number | undefined;
  /** Pairs of predictor coefficients, for MS ADPCM. */
  readonly coefficients?: Int16Array;
  readonly warnings?: readonly AudioWarning[];
}

export const bytesOf: Readonly<Record<Exclude<Encoding, "ima" | "ms">, number>> = {
  u8: 1,
  s8: 1,
  mulaw: 1,
  alaw: 1,
  s16: 2,
  s24: 3,
  s32: 4,
  f32: 4,
  s64: 8,
  f64: 8,
};

/** The name of a codec in ffmpeg's spelling for PCM. */
export function codecName({ encoding, isLittleEndian }: PcmLayout): string {
  if (encoding === "mulaw" || encoding === "alaw") return encoding;
  if (encoding === "ima" || encoding === "ms") return `${encoding}_adpcm`;
  const order = bytesOf[encoding] === 1 ? "" : isLittleEndian ? "le" : "be";
  return `pcm_${encoding}${order}`;
}
