import { badAudio, copyAgain } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { checkHeader } from "../check-header.ts";
import { viewOf } from "../view-of.ts";

/** The first block of every FLAC file. */
export interface StreamInfo {
  readonly maxBlockSize: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: number;
  /** Samples per channel; 0 if the encoder did not know. */
  readonly totalFrames: number;
  /** MD5 of all samples before encoding; zeros if the encoder did not store it. */
  readonly md5: Uint8Array;
  /** Where the audio begins. */
  readonly audioOffset: number;
}

const infoBytes = 34;

/** Reads STREAMINFO and skips all other metadata, including large pictures. `at` is the position of `fLaC`. */
export async function readStreamInfo(source: ByteSource, at: number): Promise<StreamInfo> {
  const head = await source.read(at + 4, 4 + infoBytes);
  const isInfo = head.length === 4 + infoBytes && (head[0]! & 0x7f) === 0 && blockLength(head) === infoBytes;
  if (!isInfo) throw badAudio(source.name, "is FLAC without a whole STREAMINFO block", copyAgain);
  const view = viewOf(head.subarray(4));
  const packed = view.getBigUint64(10);
  const info = {
    maxBlockSize: view.getUint16(2),
    sampleRate: Number(packed >> 44n),
    channels: Number((packed >> 41n) & 7n) + 1,
    bits: Number((packed >> 36n) & 31n) + 1,
    totalFrames: Number(packed & 0xf_ffff_ffffn),
    md5: Uint8Array.from(head.subarray(22, 38)),
    audioOffset: await skipMetadata(source, at + 8 + infoBytes, (head[0]! & 0x80) !== 0),
  };
  checkHeader(source.name, info);
  if (info.bits < 4) throw badAudio(source.name, `is FLAC of ${info.bits} bits per sample`, "the header is broken");
  return info;
}

async function skipMetadata(source: ByteSource, from: number, wasLast: boolean): Promise<number> {
  let at = from;
  for (let isLast = wasLast; !isLast; ) {
    const header = await source.read(at, 4);
    if (header.length < 4) throw badAudio(source.name, "is truncated in the metadata of its FLAC header", copyAgain);
    isLast = (header[0]! & 0x80) !== 0;
    at += 4 + blockLength(header);
  }
  return at;
}

function blockLength(header: Uint8Array): number {
  return (header[1]! << 16) | (header[2]! << 8) | header[3]!;
}
