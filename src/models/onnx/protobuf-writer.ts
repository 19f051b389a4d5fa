// Wire types of Protocol Buffers: how many bytes follow a tag.
const varint = 0;
const lengthDelimited = 2;
const fixed32 = 5;

/** Writes one message of Protocol Buffers: the few field types that ONNX files are made of. */
export class ProtobufWriter {
  private readonly pieces: Uint8Array[] = [];

  /** An integer that is not negative. */
  int(field: number, value: number | bigint): this {
    this.tag(field, varint);
    this.pieces.push(encodeVarint(BigInt(value)));
    return this;
  }

  /** An integer of 64 bits with its sign, as two's complement. */
  signed(field: number, value: number | bigint): this {
    return this.int(field, BigInt.asUintN(64, BigInt(value)));
  }

  float(field: number, value: number): this {
    this.tag(field, fixed32);
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.pieces.push(bytes);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, "utf8"));
  }

  bytes(field: number, value: Uint8Array): this {
    this.tag(field, lengthDelimited);
    this.pieces.push(encodeVarint(BigInt(value.length)), value);
    return this;
  }

  message(field: number, fill: (inner: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    fill(inner);
    return this.bytes(field, inner.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.pieces);
  }

  private tag(field: number, wireType: number): void {
    this.pieces.push(encodeVarint(BigInt((field << 3) | wireType)));
  }
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
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
