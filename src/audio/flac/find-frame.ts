import type { ByteSource } from "../byte-source.ts";
import type { FrameDecoder } from "./decode-frame.ts";
import { type FlacFrameHeader, readFrameHeader } from "./frame-header.ts";
import type { StreamInfo } from "./read-stream-info.ts";

/** Below this, decoding everything before a segment is as fast as searching. */
const nearBytes = 256 * 1024;
/**
 * Maximum number of headers that are tried at one position. By chance there is one false header in ten megabytes, so
 * more are damage, or an attack on time: decoding then begins earlier in the file.
 */
const maxTries = 16;

export interface FrameStart {
  readonly offset: number;
  readonly firstFrame: number;
}

interface Search {
  readonly source: ByteSource;
  readonly info: StreamInfo;
  /** The stream's decoder: creating another for each header would cost more than decoding. */
  readonly decoder: FrameDecoder;
  readonly maxFrameBytes: number;
}

/** Finds where to begin decoding to reach `wanted` soon, by bisecting the file with the frame headers. */
export async function findFrameBefore(search: Search, wanted: number): Promise<FrameStart> {
  const { source, info, maxFrameBytes } = search;
  let best: FrameStart = { offset: info.audioOffset, firstFrame: 0 };
  let end: FrameStart = { offset: source.size, firstFrame: info.totalFrames || Infinity };
  while (end.offset - best.offset > Math.max(nearBytes, 2 * maxFrameBytes)) {
    const middle = Math.floor((best.offset + end.offset) / 2);
    const found = await findFrameFrom(search, middle, { after: best.firstFrame, before: end.firstFrame });
    if (found !== undefined && found.firstFrame <= wanted) best = found;
    else end = { offset: middle, firstFrame: found?.firstFrame ?? end.firstFrame };
  }
  return best;
}

/** The possible frame numbers between two positions of a file. */
interface Between {
  readonly after: number;
  readonly before: number;
}

/** The first frame at or after `offset` that fits in between and decodes without error. */
async function findFrameFrom(search: Search, offset: number, between: Between): Promise<FrameStart | undefined> {
  const { source, info, maxFrameBytes } = search;
  const bytes = await source.read(offset, 2 * maxFrameBytes + 64);
  const end = Math.min(bytes.length, maxFrameBytes + 16);
  let tries = 0;
  for (let at = bytes.indexOf(0xff); at >= 0 && at < end && tries < maxTries; at = bytes.indexOf(0xff, at + 1)) {
    const header = readFrameHeader(bytes, at, info);
    if (header === undefined || header.firstFrame <= between.after || header.firstFrame >= between.before) continue;
    if (isWhole(search.decoder, bytes, at, header)) return { offset: offset + at, firstFrame: header.firstFrame };
    tries++;
  }
  return undefined;
}

function isWhole(decoder: FrameDecoder, bytes: Uint8Array, at: number, header: FlacFrameHeader): boolean {
  try {
    decoder.decode(bytes, at, header);
    return true;
  } catch {
    return false;
  }
}
