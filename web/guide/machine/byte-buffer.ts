/** What the library needs of `Buffer`: bytes with UTF-8, base64 and hex. */
export class ByteBuffer extends Uint8Array {
  override toString(encoding = "utf8", from = 0, to: number = this.length): string {
    const bytes = this.subarray(from, to);
    if (encoding === "hex") return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (encoding === "base64") return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return new TextDecoder().decode(bytes);
  }

  /** Writes text at a position. Returns the number of bytes. */
  write(text: string, at = 0): number {
    return new TextEncoder().encodeInto(text, this.subarray(at)).written;
  }
}

type Source = string | ArrayBuffer | ArrayLike<number>;

function from(source: Source, how?: string | number, length?: number): ByteBuffer {
  if (typeof source === "string" && how === "base64") return copy(Array.from(atob(source), (c) => c.charCodeAt(0)));
  if (typeof source === "string") return copy(new TextEncoder().encode(source));
  if (source instanceof ArrayBuffer) return new ByteBuffer(source, Number(how ?? 0), length);
  return copy(source);
}

function copy(bytes: ArrayLike<number>): ByteBuffer {
  const made = new ByteBuffer(bytes.length);
  made.set(bytes);
  return made;
}

function concat(parts: readonly Uint8Array[]): ByteBuffer {
  const whole = new ByteBuffer(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const alloc = (length: number): ByteBuffer => new ByteBuffer(length);

/** The global `Buffer` of a program on the machine. */
export const bufferGlobal: {
  readonly from: typeof from;
  readonly concat: typeof concat;
  readonly alloc: typeof alloc;
  readonly allocUnsafe: typeof alloc;
  readonly allocUnsafeSlow: typeof alloc;
  readonly isBuffer: (value: unknown) => boolean;
} = {
  from,
  concat,
  alloc,
  allocUnsafe: alloc,
  allocUnsafeSlow: alloc,
  isBuffer: (value) => value instanceof ByteBuffer,
};
