/** Frees a decoder. A crashed one throws again: it is dropped with all its memory, and the first error is kept. */
export function freeDecoder(decoder: { free(): void }): void {
  try {
    decoder.free();
  } catch {
    // Each file has its own decoder, so that a broken one is never reused.
  }
}
