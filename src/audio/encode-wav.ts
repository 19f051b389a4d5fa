import { MillraceError } from "../errors/errors.ts";

/** Options of {@link encodeWav}. */
export interface EncodeWavOptions {
  readonly sampleRate: number;
  /** The encoding of samples. Integers are rounded, and clipped at full scale. Default `pcm16`. */
  readonly encoding?: "pcm16" | "pcm24" | "float32";
}

const tags = { pcm16: 1, pcm24: 1, float32: 3 } as const;
const widths = { pcm16: 2, pcm24: 3, float32: 4 } as const;
const headerBytes = 44;
const maxDataBytes = 0xffff_ffff - headerBytes;

/** Encodes a WAV file of one channel, or of several given as arrays of equal length. */
export function encodeWav(samples: Float32Array | readonly Float32Array[], options: EncodeWavOptions): Uint8Array {
  const { sampleRate, encoding = "pcm16" } = options;
  const planes = samples instanceof Float32Array ? [samples] : samples;
  const width = widths[encoding];
  const frames = planes[0]?.length ?? 0;
  checkInput(planes, sampleRate, encoding, width);
  const blockBytes = planes.length * width;
  const dataBytes = frames * blockBytes;
  // Chunks of odd size are followed by a padding byte.
  const file = Buffer.alloc(headerBytes + dataBytes + (dataBytes % 2));
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(tags[encoding], 20);
  file.writeUInt16LE(planes.length, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * blockBytes, 28);
  file.writeUInt16LE(blockBytes, 32);
  file.writeUInt16LE(width * 8, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(dataBytes, 40);
  for (const [channel, plane] of planes.entries()) {
    writeChannel(file, plane, encoding, headerBytes + channel * width, blockBytes);
  }
  return file;
}

function writeChannel(
  file: Buffer,
  plane: Float32Array,
  encoding: keyof typeof widths,
  at: number,
  step: number,
): void {
  if (encoding === "float32") {
    for (let i = 0; i < plane.length; i++) file.writeFloatLE(plane[i]!, at + i * step);
  } else if (encoding === "pcm16") {
    for (let i = 0; i < plane.length; i++) file.writeInt16LE(toInteger(plane[i]!, 2 ** 15), at + i * step);
  } else {
    for (let i = 0; i < plane.length; i++) file.writeIntLE(toInteger(plane[i]!, 2 ** 23), at + i * step, 3);
  }
}

function toInteger(sample: number, scale: number): number {
  return Math.max(-scale, Math.min(scale - 1, Math.round(sample * scale)));
}

function checkInput(planes: readonly Float32Array[], sampleRate: number, encoding: string, width: number): void {
  const refuse = (message: string, hint: string) => {
    throw new MillraceError("BAD_OPTION", `cannot make a WAV file: ${message}`, { hint });
  };
  if (width === undefined) refuse(`there is no encoding "${encoding}"`, 'use "pcm16", "pcm24" or "float32"');
  if (planes.length === 0 || planes.length > 1024) refuse(`it has ${planes.length} channels`, "give 1 to 1024");
  if (planes.some((plane) => plane.length !== planes[0]!.length)) {
    refuse("its channels differ in length", "cut them, or fill them up, to one length");
  }
  if (!Number.isInteger(sampleRate) || sampleRate < 1 || sampleRate > 0xffff_ffff) {
    refuse(`its sample rate is ${sampleRate}`, "give a whole number of samples per second");
  }
  if (planes[0]!.length * planes.length * width > maxDataBytes) {
    refuse("it would be larger than 4 GB", "write it in several files");
  }
  if (width < 4 && planes.some((plane) => plane.some(Number.isNaN))) {
    refuse("a sample is NaN, which an integer cannot represent", 'find out where it comes from, or use "float32"');
  }
}
