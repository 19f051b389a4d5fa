// Half an hour at 16 kHz: what a longer recording took is given back.
const mostKept = 30 * 60 * 16_000;

const spare: Float32Array[] = [];

/**
 * Lends memory for the samples of one utterance, which is used again for the next: a new array for each of them has V8 mark
 * its whole heap every few dozen utterances. Nothing that `use` answers may refer to it.
 */
export async function withSampleRoom<T>(use: (allocate: (length: number) => Float32Array) => Promise<T>): Promise<T> {
  let room = spare.pop() ?? new Float32Array(0);
  try {
    return await use((length) => {
      if (room.length < length) room = new Float32Array(Math.max(length, 2 * room.length));
      return room.subarray(0, length);
    });
  } finally {
    if (room.length <= mostKept) spare.push(room);
  }
}
