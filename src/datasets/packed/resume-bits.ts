/** Bits as deflate packs them. */
class BitWriter {
  private readonly bytes: number[] = [];
  count = 0;

  /** The lowest bit first. */
  put(value: number, bits: number): void {
    for (let i = 0; i < bits; i++, this.count++) {
      if (this.count % 8 === 0) this.bytes.push(0);
      if (((value >> i) & 1) === 1) this.bytes[this.count >> 3]! |= 1 << (this.count & 7);
    }
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** An empty block with fixed codes: 10 bits. */
function putFixedBlock(writer: BitWriter): void {
  writer.put(0b010, 3);
  writer.put(0, 7);
}

/** An empty block with codes of its own: 93 bits, an odd number. */
function putOddBlock(writer: BitWriter): void {
  writer.put(0b100, 3);
  writer.put(0, 5); // 257 literals
  writer.put(0, 5); // 1 distance
  writer.put(14, 4); // 18 code lengths: of 18 (two bits), 0 (one bit) and 1 (two bits)
  for (let i = 0; i < 18; i++) writer.put(i === 2 || i === 17 ? 2 : i === 3 ? 1 : 0, 3);
  // Codes begin with their highest bit: 0 is "0", 1 is "10", 18 is "11".
  for (const repeat of [138, 118]) {
    writer.put(0b11, 2);
    writer.put(repeat - 11, 7);
  }
  writer.put(0b01, 2); // the end has one bit
  writer.put(0, 1); // no distance
  writer.put(0, 1); // the end
}

const prefixes = Array.from({ length: 8 }, (_, bit) => {
  const writer = new BitWriter();
  if (bit % 2 === 1) putOddBlock(writer);
  while (writer.count % 8 !== bit) putFixedBlock(writer);
  return writer.finish();
});

/**
 * Deflate data that begins within a byte, as data that begins with one: empty blocks fill the bits before. Shifting the data
 * instead would move its stored blocks, which begin at whole bytes.
 */
export function resumeAtBit(packed: Uint8Array, bit: number): Uint8Array {
  const prefix = prefixes[bit]!;
  if (bit === 0) return packed;
  const joined = new Uint8Array(prefix.length - 1 + packed.length);
  joined.set(packed, prefix.length - 1);
  joined[prefix.length - 1] = (joined[prefix.length - 1]! >> bit) << bit;
  prefix.forEach((byte, i) => {
    joined[i]! |= byte;
  });
  return joined;
}
