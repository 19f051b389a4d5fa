// The opcodes of protocol 2 that PyTorch's restricted loader knows; others would fail with weights_only=True.
const op = {
  mark: 0x28,
  stop: 0x2e,
  emptyTuple: 0x29,
  int4: 0x4a,
  int1: 0x4b,
  int2: 0x4d,
  none: 0x4e,
  float: 0x47,
  persistentId: 0x51,
  reduce: 0x52,
  text: 0x58,
  emptyList: 0x5d,
  global: 0x63,
  appends: 0x65,
  get: 0x68,
  put: 0x71,
  tuple: 0x74,
  setItems: 0x75,
  emptyDict: 0x7d,
  protocol: 0x80,
  tuple1: 0x85,
  true: 0x88,
  false: 0x89,
  long: 0x8a,
} as const;

export type PickleOp = keyof typeof op;

/** Writes a pickle of protocol 2, opcode by opcode. */
export class PickleWriter {
  private bytes: Buffer = Buffer.allocUnsafe(512);
  private length = 0;
  private readonly globals = new Map<string, number>();

  constructor() {
    this.op("protocol");
    this.byte(2);
  }

  op(name: PickleOp): void {
    this.byte(op[name]);
  }

  int(value: number | bigint): void {
    if (value >= 0 && value <= 0xff) {
      this.op("int1");
      this.byte(Number(value));
    } else if (value >= 0 && value <= 0xffff) {
      this.op("int2");
      this.grow(2);
      this.length = this.bytes.writeUInt16LE(Number(value), this.length);
    } else if (value >= -(2 ** 31) && value < 2 ** 31) {
      this.op("int4");
      this.grow(4);
      this.length = this.bytes.writeInt32LE(Number(value), this.length);
    } else {
      const digits = twosComplement(BigInt(value));
      this.op("long");
      this.byte(digits.length);
      this.put(digits);
    }
  }

  float(value: number): void {
    this.op("float");
    this.grow(8);
    this.length = this.bytes.writeDoubleBE(value, this.length);
  }

  text(value: string): void {
    const bytes = Buffer.from(value, "utf8");
    this.op("text");
    this.grow(4);
    this.length = this.bytes.writeUInt32LE(bytes.length, this.length);
    this.put(bytes);
  }

  /** Names a class or function; from the second time on by memo number. */
  global(module: string, name: string): void {
    const key = `${module}\n${name}\n`;
    const known = this.globals.get(key);
    if (known !== undefined) {
      this.op("get");
      this.byte(known);
      return;
    }
    this.op("global");
    this.put(Buffer.from(key, "latin1"));
    this.op("put");
    this.byte(this.globals.size);
    this.globals.set(key, this.globals.size);
  }

  ints(values: readonly number[]): void {
    if (values.length > 1) this.op("mark");
    for (const value of values) this.int(value);
    if (values.length > 1) this.op("tuple");
    else this.op(values.length === 1 ? "tuple1" : "emptyTuple");
  }

  finish(): Buffer {
    this.op("stop");
    return this.bytes.subarray(0, this.length);
  }

  private byte(value: number): void {
    this.grow(1);
    this.bytes[this.length++] = value;
  }

  private put(bytes: Uint8Array): void {
    this.grow(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  private grow(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** A large integer in as few bytes as possible, little-endian. */
function twosComplement(value: bigint): Buffer {
  let bytes = 1;
  while (BigInt.asIntN(8 * bytes, value) !== value) bytes++;
  let hex = BigInt.asUintN(8 * bytes, value).toString(16);
  hex = hex.padStart(2 * bytes, "0");
  return Buffer.from(hex, "hex").reverse();
}
