import type { ByteSource } from "../byte-source.ts";
import { makeFrameDecoder } from "./decode-frame.ts";
import { type FlacFrameHeader, readFrameHeader } from "./frame-header.ts";
import type { StreamInfo } from "./read-stream-info.ts";

/** Below this, decoding what lies before a segment is as fast as looking for it. */
const nearBytes = 256 * 1024;

export interface FrameStart {
  readonly offset: number;
  readonly firstFrame: number;
}

/** Where to begin decoding so that `wanted` is reached soon: halves the file by looking at what frames say of themselves. */
export async function findFrameBefore(
  source: ByteSource,
  info: StreamInfo,
  wanted: number,
  mostFrameBytes: number,
): Promise<FrameStart> {
  let best: FrameStart = { offset: info.audioOffset, firstFrame: 0 };
  let end = source.size;
  while (end - best.offset > Math.max(nearBytes, 2 * mostFrameBytes)) {
    const middle = Math.floor((best.offset + end) / 2);
    const found = await findFrameFrom(source, info, middle, mostFrameBytes);
    if (found !== undefined && found.firstFrame <= wanted) best = found;
    else end = middle;
  }
  return best;
}

/** The first frame that begins at or behind `offset` and decodes without error. */
async function findFrameFrom(
  source: ByteSource,
  info: StreamInfo,
  offset: number,
  mostFrameBytes: number,
): Promise<FrameStart | undefined> {
  const bytes = await source.read(offset, 2 * mostFrameBytes + 64);
  for (let at = 0; at < Math.min(bytes.length, mostFrameBytes + 16); at++) {
    if (bytes[at] !== 0xff) continue;
    const header = readFrameHeader(bytes, at, info);
    if (header !== undefined && isWhole(bytes, at, header, info)) {
      return { offset: offset + at, firstFrame: header.firstFrame };
    }
  }
  return undefined;
}

function isWhole(bytes: Uint8Array, at: number, header: FlacFrameHeader, info: StreamInfo): boolean {
  try {
    makeFrameDecoder(info).decode(bytes, at, header);
    return true;
  } catch {
    return false;
  }
}
