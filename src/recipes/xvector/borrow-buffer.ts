// Half an hour at 16 kHz: a larger buffer is released.
const maxKept = 30 * 60 * 16_000;

const spare: Float32Array[] = [];

/** A reusable buffer for one array at a time. */
export interface BorrowedBuffer {
  allocate(length: number): Float32Array;
  /** After this, nothing may refer to the buffer's content. */
  returnBuffer(): void;
}

/**
 * Borrows memory for the samples or features of one utterance, which is reused for the next: a new array for each makes
 * V8 mark its whole heap every few dozen utterances.
 */
export function borrowBuffer(): BorrowedBuffer {
  let buffer = spare.pop() ?? new Float32Array(0);
  return {
    allocate(length) {
      if (buffer.length < length) buffer = new Float32Array(Math.max(length, 2 * buffer.length));
      return buffer.subarray(0, length);
    },
    returnBuffer() {
      if (buffer.length <= maxKept) spare.push(buffer);
    },
  };
}
