// Sines of float32 numbers as PyTorch computes them, through the SLEEF library: its polynomial, and π in three parts.
const float = Math.fround;
const [fifth, third, second] = [2.6083159809786594e-6, -0.00019810690719168633, 0.00833307858556509].map(float) as [
  number,
  number,
  number,
];
const first = float(-0.16666659712791443);
const pi = [3.1414794921875, 0.0001131594181060791, 1.984187258941006e-9].map(float) as [number, number, number];
const perPi = float(1 / Math.PI);
// If one of eight angles in a row is larger, all eight are reduced with more digits of π.
const largest = 125;
const together = 8;

/**
 * The sines of float32 numbers as PyTorch gives them. They are not always the nearest float32 numbers, and filters that
 * are made of differences of sines show which ones they were.
 */
export function sines(angles: Float32Array): Float32Array {
  return angles.map((angle, at) => {
    const halfTurns = Math.round(float(angle * perPi));
    const value = nearZero(reduce(angle, halfTurns, isLarge(angles, at)));
    return halfTurns % 2 === 0 ? value : -value;
  });
}

/** The cosines, likewise. */
export function cosines(angles: Float32Array): Float32Array {
  return angles.map((angle, at) => {
    const halfTurns = Math.round(float(angle * perPi - 0.5));
    const value = nearZero(reduce(angle, halfTurns + 0.5, isLarge(angles, at)));
    return halfTurns % 2 === 0 ? -value : value;
  });
}

function isLarge(angles: Float32Array, at: number): boolean {
  const from = at - (at % together);
  return angles.subarray(from, from + together).some((angle) => Math.abs(angle) >= largest);
}

/** An angle and the float32 number in which it is squared. */
interface Reduced {
  readonly exact: number;
  readonly rounded: number;
}

/** The angle minus a multiple of π. */
function reduce(angle: number, count: number, isExact: boolean): Reduced {
  if (isExact) {
    const exact = angle - count * Math.PI;
    return { exact, rounded: float(exact) };
  }
  // Whole multiples of the first part leave a float32 number, halves may not.
  const most = angle - count * pi[0];
  const more = float(-count * pi[1]);
  const rest = float(-count * pi[2]);
  return { exact: most + more + rest, rounded: float(float(float(most) + more) + rest) };
}

function nearZero({ exact, rounded }: Reduced): number {
  const square = float(rounded * rounded);
  const sum = float(float(fifth * square + third) * square + second);
  return float(exact * (1 + (first + float(sum * square)) * exact * exact));
}
