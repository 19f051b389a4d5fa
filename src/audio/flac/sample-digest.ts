import { createHash, type Hash } from "node:crypto";
import { hostIsLittleEndian } from "../pcm/decode-samples.ts";
import type { Plane } from "./read-residual.ts";
import type { StreamInfo } from "./read-stream-info.ts";

/** Hashes the samples of a whole stream, to compare them with the encoder's input. */
export interface SampleDigest {
  update(planes: readonly Plane[], count: number): void;
  isAsNoted(): boolean;
}

/** The MD5 of all samples, as in STREAMINFO; undefined if the encoder stored none, or MD5 is forbidden here. */
export function makeSampleDigest({ md5, bits, maxBlockSize, channels }: StreamInfo): SampleDigest | undefined {
  if (md5.every((byte) => byte === 0)) return undefined;
  const hash = md5Hash();
  if (hash === undefined) return undefined;
  const width = Math.ceil(bits / 8);
  const bytes = Buffer.alloc(Math.max(maxBlockSize, 16) * channels * width);
  const words =
    width === 2 && hostIsLittleEndian ? new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : undefined;
  return {
    update(planes, count) {
      if (words === undefined) putBytes(planes, count, width, bytes);
      else putWords(planes, count, words);
      hash.update(bytes.subarray(0, count * channels * width));
    },
    isAsNoted: () => hash.digest().equals(md5),
  };
}

/** Machines in FIPS mode refuse MD5; the checksum of each frame is still compared. */
function md5Hash(): Hash | undefined {
  try {
    return createHash("md5");
  } catch {
    return undefined;
  }
}

function putWords(planes: readonly Plane[], count: number, words: Int16Array): void {
  const step = planes.length;
  for (let channel = 0; channel < step; channel++) {
    const plane = planes[channel]!;
    for (let i = 0, at = channel; i < count; i++, at += step) words[at] = plane[i]!;
  }
}

/** Each sample in as many bytes as its bits need, little-endian, channels interleaved. */
function putBytes(planes: readonly Plane[], count: number, width: number, bytes: Uint8Array): void {
  const step = planes.length * width;
  for (const [channel, plane] of planes.entries()) {
    for (let i = 0, at = channel * width; i < count; i++, at += step) {
      for (let byte = 0, rest = plane[i]! | 0; byte < width; byte++, rest >>= 8) bytes[at + byte] = rest;
    }
  }
}
