import { BitReader, endsInFrame, FlacDamage } from "./bit-reader.ts";
import { decodeSubframe } from "./decode-subframe.ts";
import { crc16 } from "./flac-crc.ts";
import type { FlacFrameHeader } from "./frame-header.ts";
import type { Plane } from "./read-residual.ts";
import type { StreamInfo } from "./read-stream-info.ts";

/** Buffers that are reused for each frame. */
export interface FrameDecoder {
  readonly planes: readonly Plane[];
  /** Decodes the frame at `at` into the planes and returns its length in bytes; throws `FlacDamage`. */
  decode(bytes: Uint8Array, at: number, header: FlacFrameHeader): number;
}

/** Creates a decoder for the frames of one stream: FLAC frames are independent, so any can be the first. */
export function makeFrameDecoder({ channels, bits, maxBlockSize }: StreamInfo): FrameDecoder {
  const reader = new BitReader();
  const size = Math.max(maxBlockSize, 16);
  const planes = Array.from({ length: channels }, () => (bits > 31 ? new Float64Array(size) : new Int32Array(size)));
  return {
    planes,
    decode(bytes, at, { assignment, blockSize, headerBytes }) {
      reader.bytes = bytes;
      reader.position = (at + headerBytes) * 8;
      for (let channel = 0; channel < channels; channel++) {
        const isSide =
          (channel === 1 && (assignment === 8 || assignment === 10)) || (channel === 0 && assignment === 9);
        decodeSubframe(reader, planes[channel]!, blockSize, isSide ? bits + 1 : bits);
      }
      reader.alignToByte();
      const end = reader.position / 8;
      if (end + 2 > bytes.length) throw endsInFrame();
      if (crc16(bytes, at, end) !== ((bytes[end]! << 8) | bytes[end + 1]!)) throw new FlacDamage("a wrong checksum");
      if (assignment >= 8) unite(planes[0]!, planes[1]!, assignment, blockSize);
      if (bits > 31 && !planes.every((plane) => areOf32Bits(plane, blockSize))) {
        throw new FlacDamage("a sample beyond its 32 bits");
      }
      return end + 2 - at;
    },
  };
}

/** True if all samples fit 32 bits: a malicious predictor leads to infinity and NaN, where integers would wrap. */
function areOf32Bits(plane: Plane, blockSize: number): boolean {
  for (let i = 0; i < blockSize; i++) if (!(plane[i]! >= -(2 ** 31) && plane[i]! < 2 ** 31)) return false;
  return true;
}

/** Restores left and right from one of them, or their mean, and their difference. */
function unite(first: Plane, second: Plane, assignment: number, blockSize: number): void {
  if (assignment === 8) {
    for (let i = 0; i < blockSize; i++) second[i] = first[i]! - second[i]!;
  } else if (assignment === 9) {
    for (let i = 0; i < blockSize; i++) first[i]! += second[i]!;
  } else {
    for (let i = 0; i < blockSize; i++) {
      // The mean lost its lowest bit, which equals that of the difference.
      const side = second[i]!;
      const sum = first[i]! * 2 + Math.abs(side % 2);
      first[i] = (sum + side) / 2;
      second[i] = (sum - side) / 2;
    }
  }
}
