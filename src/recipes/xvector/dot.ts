/** The sum of products with four accumulators: a single one would wait for itself at each step. */
export function dot(a: Float64Array, b: Float64Array): number {
  const whole = a.length & ~3;
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let k = 0; k < whole; k += 4) {
    first += a[k]! * b[k]!;
    second += a[k + 1]! * b[k + 1]!;
    third += a[k + 2]! * b[k + 2]!;
    fourth += a[k + 3]! * b[k + 3]!;
  }
  for (let k = whole; k < a.length; k++) first += a[k]! * b[k]!;
  return first + second + (third + fourth);
}
