/** Some bytes of a buffer. A view of its own would cost a row more than reading it. */
export interface ByteRange {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** All bytes of the buffer as text, where the caller can use it and they are ASCII: offsets are the same. */
  readonly text?: string | undefined;
}

/** All bytes of a buffer. */
export function wholeBuffer(bytes: Buffer): ByteRange {
  return { bytes, from: 0, to: bytes.length };
}

/** The bytes of a file, here or elsewhere, read in pieces. */
export interface ByteStore {
  /** The path or the address, for messages. */
  readonly name: string;
  /** What distinguishes this file from all others in a cache: `name` may leave out what is secret, or be relative. */
  readonly key: string;
  readonly size: number;
  /** Exactly `length` bytes, at once where they are here. A piece outside of the file is a `BAD_FILE` error. */
  read(offset: number, length: number): Buffer | Promise<Buffer>;
  /** The same, valid only until the next call: for what is turned into a value at once. */
  peek?(offset: number, length: number, wantsText: boolean): ByteRange;
  /** What the store's own checks compare: ETag or modification time. Another one means that the content is another. */
  readonly version: string;
  close(): void | Promise<void>;
}

/** The bytes of a file of this machine. */
export interface LocalByteStore extends ByteStore {
  read(offset: number, length: number): Buffer;
  close(): void;
}
