// Half an hour at 16 kHz: what a longer recording took is given back.
const mostKept = 30 * 60 * 16_000;

const spare: Float32Array[] = [];

/** Memory for one array at a time. */
export interface Room {
  allocate(length: number): Float32Array;
  /** Nothing may refer to what was in it any more. */
  giveBack(): void;
}

/**
 * Lends memory for the samples or the features of one utterance, which is used again for the next: a new array for each of
 * them has V8 mark its whole heap every few dozen utterances.
 */
export function takeRoom(): Room {
  let room = spare.pop() ?? new Float32Array(0);
  return {
    allocate(length) {
      if (room.length < length) room = new Float32Array(Math.max(length, 2 * room.length));
      return room.subarray(0, length);
    },
    giveBack() {
      if (room.length <= mostKept) spare.push(room);
    },
  };
}
