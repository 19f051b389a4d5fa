import type { ByteSource } from "../byte-source.ts";
import { isSameStream, type MpegFrameHeader, readFrameHeader } from "./frame-header.ts";

// Three consecutive frames do not occur by chance; the largest has less than 3 KB.
const framesInARow = 3;
const searchBytes = 8 * 1024;
const windowBytes = searchBytes + framesInARow * 3 * 1024;

/** Finds the first frame of MPEG audio at or soon after `from`: junk or padding may precede it. */
export async function findFirstFrame(
  source: ByteSource,
  from: number,
): Promise<{ readonly at: number; readonly header: MpegFrameHeader } | undefined> {
  const window = await source.read(from, windowBytes);
  const reachesEnd = from + window.length >= source.size;
  for (let at = 0; at < Math.min(searchBytes, window.length - 3); at++) {
    const header = readFrameHeader(window, at);
    if (header !== undefined && isFollowed(window, at, header, reachesEnd)) return { at: from + at, header };
  }
  return undefined;
}

/** True if more frames follow; a short file may end after the first one, if nothing precedes it, or the second. */
function isFollowed(window: Uint8Array, at: number, header: MpegFrameHeader, reachesEnd: boolean): boolean {
  let next = at;
  for (let frame = 0; frame < framesInARow; frame++) {
    if (reachesEnd && next === window.length) return frame > (at === 0 ? 0 : 1);
    const following = readFrameHeader(window, next);
    if (following === undefined || !isSameStream(header, following)) return false;
    next += following.bytes;
  }
  return true;
}

/** Runs of consecutive whole frames, and what was skipped between and after them. */
export interface FrameRuns {
  readonly runs: readonly { readonly from: number; readonly to: number }[];
  readonly frames: number;
  /** Bytes that belong to no frame, without tags at the end. */
  readonly junkBytes: number;
  /** True if the last frame is incomplete. */
  readonly endsInFrame: boolean;
}

/** Walks from frame to frame, so that the decoder gets only frames: on junk it may search without end. */
export function findFrameRuns(bytes: Uint8Array, first: MpegFrameHeader): FrameRuns {
  const runs: { from: number; to: number }[] = [];
  let [frames, junkBytes, at] = [0, 0, 0];
  while (at + 4 <= bytes.length) {
    const header = readFrameHeader(bytes, at);
    if (header === undefined || !isSameStream(first, header)) {
      if (isTagAtEnd(bytes, at)) return { runs, frames, junkBytes, endsInFrame: false };
      at++;
      junkBytes++;
      continue;
    }
    if (at + header.bytes > bytes.length) return { runs, frames, junkBytes, endsInFrame: true };
    const last = runs.at(-1);
    if (last?.to === at) last.to += header.bytes;
    else runs.push({ from: at, to: at + header.bytes });
    at += header.bytes;
    frames++;
  }
  return { runs, frames, junkBytes, endsInFrame: false };
}

/** ID3v1 (the last 128 bytes), APE and Lyrics3 tags. */
function isTagAtEnd(bytes: Uint8Array, at: number): boolean {
  const text = Buffer.from(bytes.subarray(at, at + 11)).toString("latin1");
  return (text.startsWith("TAG") && bytes.length - at <= 128 + 227) || /^(APETAGEX|LYRICSBEGIN|3DI)/.test(text);
}
