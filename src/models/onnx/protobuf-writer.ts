// Wire types of Protocol Buffers: how many bytes follow a tag.
const varint = 0;
const lengthDelimited = 2;
const fixed32 = 5;

/** Writes one message of Protocol Buffers: the few field types of ONNX files. */
export class ProtobufWriter {
  private readonly pieces: Uint8Array[] = [];
  private size = 0;

  /** An integer that is not negative. */
  int(field: number, value: number | bigint): this {
    this.tag(field, varint);
    return this.append(encodeVarint(BigInt(value)));
  }

  /** A signed 64-bit integer, as two's complement. */
  signed(field: number, value: number | bigint): this {
    return this.int(field, BigInt.asUintN(64, BigInt(value)));
  }

  float(field: number, value: number): this {
    this.tag(field, fixed32);
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.append(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, "utf8"));
  }

  bytes(field: number, value: Uint8Array): this {
    this.tag(field, lengthDelimited);
    return this.append(encodeVarint(BigInt(value.length))).append(value);
  }

  message(field: number, fill: (inner: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    fill(inner);
    this.tag(field, lengthDelimited);
    this.append(encodeVarint(BigInt(inner.size)));
    // The pieces, and not a copy of them: weights of a model are copied once, by `finish`.
    for (const piece of inner.pieces) this.append(piece);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.pieces, this.size);
  }

  private tag(field: number, wireType: number): void {
    this.append(encodeVarint(BigInt((field << 3) | wireType)));
  }

  private append(bytes: Uint8Array): this {
    this.pieces.push(bytes);
    this.size += bytes.length;
    return this;
  }
}

/** Seven bits per byte, lowest first; the highest bit means that more follow. */
function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
