import type { MpegFrameHeader } from "./frame-header.ts";

/** What encoders store in the first frame, which contains no sound. */
export interface XingNote {
  /** The number of following frames, if given. */
  readonly frames: number | undefined;
  /** Samples that the encoder added before and after the sound. */
  readonly delay: number;
  readonly padding: number;
}

/**
 * Reads the Xing, Info (LAME) or VBRI header of a first frame: the only way to know an MP3's length without reading it.
 */
export function readXing(frame: Uint8Array, header: MpegFrameHeader): XingNote | undefined {
  if (header.layer !== 3) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const sideInfo = header.version === 1 ? (header.channels === 1 ? 17 : 32) : header.channels === 1 ? 9 : 17;
  const at = 4 + sideInfo;
  const tag = textAt(frame, at);
  if (tag === "Xing" || tag === "Info") return readXingAt(frame, view, at);
  // VBRI is at a fixed position, for all versions and channels.
  if (textAt(frame, 36) === "VBRI" && frame.length >= 54) {
    return { frames: view.getUint32(50), delay: view.getUint16(42), padding: 0 };
  }
  return undefined;
}

function readXingAt(frame: Uint8Array, view: DataView, at: number): XingNote | undefined {
  if (frame.length < at + 12) return undefined;
  const flags = view.getUint32(at + 4);
  const frames = (flags & 1) === 0 ? undefined : view.getUint32(at + 8);
  // Four optional fields (frames, bytes, 100 bytes of seek table, quality), then the encoder's own part.
  const lame = at + 8 + (flags & 1) * 4 + ((flags >> 1) & 1) * 4 + ((flags >> 2) & 1) * 100 + ((flags >> 3) & 1) * 4;
  if (frame.length < lame + 24 || !/^(LAME|Lavf|Lavc|GOGO)/.test(textAt(frame, lame))) {
    return { frames, delay: 0, padding: 0 };
  }
  const packed = (frame[lame + 21]! << 16) | (frame[lame + 22]! << 8) | frame[lame + 23]!;
  return { frames, delay: packed >> 12, padding: packed & 0xfff };
}

function textAt(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.subarray(at, at + 4)).toString("latin1");
}
