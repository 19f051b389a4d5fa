import { bytesSource } from "../../../src/audio/byte-source.ts";
import { makeFrameDecoder } from "../../../src/audio/flac/decode-frame.ts";
import { crc8, crc16 } from "../../../src/audio/flac/flac-crc.ts";
import { readFrameHeader } from "../../../src/audio/flac/frame-header.ts";
import { readStreamInfo } from "../../../src/audio/flac/read-stream-info.ts";

/** A FLAC file and where its parts stand. */
export interface FlacFile {
  readonly bytes: Uint8Array;
  readonly audioOffset: number;
  readonly frames: readonly { readonly at: number; readonly length: number; readonly headerBytes: number }[];
}

/** Finds the frames of a sound FLAC file. */
export async function takeApart(bytes: Uint8Array): Promise<FlacFile> {
  const info = await readStreamInfo(bytesSource(bytes, "the file"), 0);
  const decoder = makeFrameDecoder(info);
  const frames: { at: number; length: number; headerBytes: number }[] = [];
  for (let at = info.audioOffset; at < bytes.length; at += frames.at(-1)!.length) {
    const header = readFrameHeader(bytes, at, info)!;
    frames.push({ at, length: decoder.decode(bytes, at, header), headerBytes: header.headerBytes });
  }
  return { bytes, audioOffset: info.audioOffset, frames };
}

export const flacMistakes = ["info", "metadata", "dropped", "behind", "cut", "header", "body"] as const;
/** Where a mistake is made: in STREAMINFO, in other metadata, a whole frame, behind the end, in a frame. */
export type FlacMistake = (typeof flacMistakes)[number];

const infoAt = 8;
const infoEnd = 42;

/** The file with a mistake in it. The checksums of a frame are made right again: they would find everything. */
export function mutateFlac({ bytes, audioOffset, frames }: FlacFile, mistake: FlacMistake, random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  const { at, length, headerBytes } = frames[below(frames.length)]!;
  const result = Buffer.from(bytes);
  const change = (from: number, to: number) => {
    for (let count = 1 + below(3); count > 0 && to > from; count--) {
      const place = from + below(to - from);
      result[place] = below(2) === 0 ? below(256) : result[place]! ^ (1 << below(8));
    }
  };
  switch (mistake) {
    case "info":
      change(infoAt, infoEnd);
      return result;
    case "metadata":
      change(infoEnd, audioOffset);
      return result;
    case "dropped":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case "behind":
      return Buffer.concat([bytes, Buffer.from(Array.from({ length: 1 + below(40) }, () => below(256)))]);
    case "cut":
      return result.subarray(0, at);
    case "header":
      change(at, at + headerBytes - 1);
      break;
    default:
      change(at + headerBytes, at + Math.min(length - 2, headerBytes + (below(2) === 0 ? 4 : length)));
  }
  result[at + headerBytes - 1] = crc8(result, at, at + headerBytes - 1);
  result.writeUInt16BE(crc16(result, at, at + length - 2), at + length - 2);
  return result;
}
