/** Thrown for bits that FLAC does not allow; only its message leaves this folder. */
export class FlacDamage extends Error {
  /** Whether the data may simply end too early. */
  readonly isEnd: boolean;

  constructor(message: string, isEnd = false) {
    super(message);
    this.isEnd = isEnd;
  }
}

export function endsInFrame(): FlacDamage {
  return new FlacDamage("the data ends in a frame", true);
}

/** Reads bits, most significant first. Beyond the end it reads zeros: `checkEnd` is called after each part. */
export class BitReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** In bits. Buffers are far below 256 MB, so this is a small integer. */
  position = 0;

  /** Up to 25 unsigned bits. */
  read(count: number): number {
    if (count === 0) return 0;
    const word = this.#wordAt(this.position);
    this.position += count;
    return word >>> (32 - count);
  }

  /** Up to 33 signed bits. */
  readSigned(count: number): number {
    if (count <= 25) {
      const word = this.#wordAt(this.position);
      this.position += count;
      return count === 0 ? 0 : word >> (32 - count);
    }
    const high = this.readSigned(count - 16);
    return high * 65536 + this.read(16);
  }

  /** The number of zero bits before the next one bit, which is consumed too. */
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
