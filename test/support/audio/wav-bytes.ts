/** What a test wants to stand in a WAV file; everything may be wrong. */
export interface WavParts {
  readonly tag?: number;
  readonly channels?: number;
  readonly sampleRate?: number;
  readonly bits?: number;
  readonly blockBytes?: number;
  readonly data: Uint8Array;
  /** The size in the header of the data chunk, where it is not that of the data. */
  readonly dataSize?: number;
  readonly riffSize?: number;
  /** The bytes after the first 16 of the fmt chunk. */
  readonly extension?: Uint8Array;
  /** Chunks before the data, as they are. */
  readonly before?: readonly Uint8Array[];
  /** What follows the data, as it is. */
  readonly after?: Uint8Array;
  readonly id?: "RIFF" | "RIFX" | "RF64" | "BW64";
}

/** A WAV file put together byte by byte. */
export function wavBytes(parts: WavParts): Uint8Array {
  const { tag = 1, channels = 1, sampleRate = 16_000, bits = 16, data, id = "RIFF" } = parts;
  const { extension = new Uint8Array(0), before = [], after = new Uint8Array(0) } = parts;
  const isLittleEndian = id !== "RIFX";
  const blockBytes = parts.blockBytes ?? (channels * bits) / 8;
  const format = new DataView(new ArrayBuffer(16));
  format.setUint16(0, tag, isLittleEndian);
  format.setUint16(2, channels, isLittleEndian);
  format.setUint32(4, sampleRate, isLittleEndian);
  format.setUint32(8, sampleRate * blockBytes, isLittleEndian);
  format.setUint16(12, blockBytes, isLittleEndian);
  format.setUint16(14, bits, isLittleEndian);
  const chunks = [
    Buffer.from("WAVE"),
    ...(before[0] !== undefined && id.endsWith("64") ? before : []),
    chunk("fmt ", Buffer.concat([new Uint8Array(format.buffer), extension]), isLittleEndian),
    ...(before[0] !== undefined && id.endsWith("64") ? [] : before),
    chunk("data", data, isLittleEndian, parts.dataSize),
    after,
  ];
  return Buffer.concat([chunk(id, Buffer.concat(chunks), isLittleEndian, parts.riffSize)]);
}

/** One chunk, with its padding where the size is odd. */
export function chunk(id: string, body: Uint8Array, isLittleEndian = true, size: number = body.length): Uint8Array {
  const header = Buffer.alloc(8);
  header.write(id, "latin1");
  if (isLittleEndian) header.writeUInt32LE(size, 4);
  else header.writeUInt32BE(size, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)]);
}

/** 16-bit samples, little-endian. */
export function pcm16(...values: readonly number[]): Uint8Array {
  return new Uint8Array(Int16Array.from(values).buffer);
}
