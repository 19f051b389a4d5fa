const rounds = 6;

/**
 * A pseudorandom permutation of 0 … length - 1 that is computed one index at a time: a Feistel network over the next
 * power of four, walked until the result is in range. Ten million rows in another order take no memory.
 */
export function permutation(length: number, seed: number): (index: number) => number {
  // Up to 2^52 rows: both halves fit into 32-bit integers.
  let halfBits = 1;
  while (4 ** halfBits < length) halfBits++;
  const half = 2 ** halfBits;
  const mask = half - 1;
  const keys = Array.from({ length: rounds }, (_, round) =>
    mix(mix(seed | 0) ^ mix(Math.floor(seed / 2 ** 32) + round)),
  );
  const step = (index: number): number => {
    let left = Math.floor(index / half);
    let right = index % half;
    for (const key of keys) {
      const next = left ^ (mix(right ^ key) & mask);
      left = right;
      right = next;
    }
    return left * half + right;
  };
  return (index) => {
    let at = step(index);
    while (at >= length) at = step(at);
    return at;
  };
}

/** The finalizer of a 32-bit hash: every bit of the input changes half of the output. */
function mix(value: number): number {
  let hash = (value + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
