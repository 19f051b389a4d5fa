/** A view of exactly these bytes, which are often part of a larger buffer. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The four letters that name a chunk. */
export function fourLetters(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

/** Text of a file, made safe for a message. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}
