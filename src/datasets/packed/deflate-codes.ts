/** The extra bits of each length code, and the length that it begins with; the same for distances. */
export const lengthExtra: Uint8Array = Uint8Array.from({ length: 29 }, (_, code) =>
  code < 8 || code === 28 ? 0 : (code >> 2) - 1,
);
export const lengthBase: Uint16Array = basesOf(lengthExtra, 3);
lengthBase[28] = 258;
export const distanceExtra: Uint8Array = Uint8Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
export const distanceBase: Uint16Array = basesOf(distanceExtra, 1);
/** The order in which a block gives the lengths of its code lengths. */
export const orderOfLengths: readonly number[] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function basesOf(extra: Uint8Array, first: number): Uint16Array {
  const bases = new Uint16Array(extra.length);
  let base = first;
  extra.forEach((bits, code) => {
    bases[code] = base;
    base += 2 ** bits;
  });
  return bases;
}
