/** The content of the four bytes before each frame of MPEG audio. */
export interface MpegFrameHeader {
  readonly version: 1 | 2 | 2.5;
  readonly layer: 1 | 2 | 3;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly bitRate: number;
  /** Samples of one channel in a frame. */
  readonly samples: number;
  readonly bytes: number;
}

const rates = [44_100, 48_000, 32_000];
// In kbit/s, by layer; those of versions 2 and 2.5 are lower.
const bitRatesOfVersion1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const bitRatesOfVersion2 = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/** Reads a frame header; undefined if there is none. Random bytes look like one in a few thousand positions. */
export function readFrameHeader(bytes: Uint8Array, at: number): MpegFrameHeader | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const [second, third, fourth] = [bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!];
  if ((second & 0xe0) !== 0xe0) return undefined;
  const version = ([2.5, undefined, 2, 1] as const)[(second >> 3) & 3];
  const layer = ([undefined, 3, 2, 1] as const)[(second >> 1) & 3];
  const rate = rates[(third >> 2) & 3];
  if (version === undefined || layer === undefined || rate === undefined) return undefined;
  const table = version === 1 ? bitRatesOfVersion1[layer - 1]! : bitRatesOfVersion2[layer === 1 ? 0 : 1]!;
  const bitRate = (table[third >> 4] ?? 0) * 1000;
  // Frames of "free" bit rate do not give their length; speech encoders do not write them.
  if (bitRate === 0) return undefined;
  const sampleRate = version === 1 ? rate : version === 2 ? rate / 2 : rate / 4;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const padding = (third >> 1) & 1;
  const bytesPerFrame =
    layer === 1
      ? (Math.floor((12 * bitRate) / sampleRate) + padding) * 4
      : Math.floor((samples * bitRate) / (8 * sampleRate)) + padding;
  return { version, layer, sampleRate, channels: fourth >> 6 === 3 ? 1 : 2, bitRate, samples, bytes: bytesPerFrame };
}

/** True if two frames can belong to one stream. */
export function isSameStream(a: MpegFrameHeader, b: MpegFrameHeader): boolean {
  return a.version === b.version && a.layer === b.layer && a.sampleRate === b.sampleRate;
}
