/** What is thrown where bits say something that FLAC does not allow; only its message leaves this folder. */
export class FlacDamage extends Error {
  /** Whether the data may just end too early. */
  readonly isEnd: boolean;

  constructor(message: string, isEnd = false) {
    super(message);
    this.isEnd = isEnd;
  }
}

export function endsInFrame(): FlacDamage {
  return new FlacDamage("the data ends in a frame", true);
}

/** Reads bits, highest first. Behind the end it reads zeros: `checkEnd` finds out after each part. */
export class BitReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** In bits. Buffers stay far below 256 MB, so that this is a small integer. */
  position = 0;

  /** Up to 25 bits without a sign. */
  read(count: number): number {
    if (count === 0) return 0;
    const word = this.#wordAt(this.position);
    this.position += count;
    return word >>> (32 - count);
  }

  /** Up to 33 bits with a sign. */
  readSigned(count: number): number {
    if (count <= 25) {
      const word = this.#wordAt(this.position);
      this.position += count;
      return count === 0 ? 0 : word >> (32 - count);
    }
    const high = this.readSigned(count - 16);
    return high * 65536 + this.read(16);
  }

  /** How many zeros stand before the next one, which is taken too. */
  readUnary(): number {
    const end = this.bytes.length * 8;
    for (let zeros = 0; ; zeros += 25) {
      const word = this.#wordAt(this.position) & ~0x7f;
      if (word !== 0) {
        const more = Math.clz32(word);
        this.position += more + 1;
        return zeros + more;
      }
      this.position += 25;
      if (this.position > end) throw endsInFrame();
    }
  }

  alignToByte(): void {
    this.position = (this.position + 7) & ~7;
  }

  checkEnd(): void {
    if (this.position > this.bytes.length * 8) throw endsInFrame();
  }

  /** 32 bits of which at least the first 25 are those from `position` on. */
  #wordAt(position: number): number {
    const { bytes } = this;
    const at = position >> 3;
    const word =
      at + 3 < bytes.length
        ? (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
        : ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8);
    return word << (position & 7);
  }
}
