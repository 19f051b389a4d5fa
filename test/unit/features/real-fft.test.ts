import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeRealFft } from "../../../src/features/fft/real-fft.ts";
import { testSignal } from "../../support/features/compare.ts";

function transform(samples: Float64Array | Float32Array, size = samples.length): Float64Array {
  const fft = makeRealFft(size);
  const spectrum = new Float64Array(2 * fft.bins);
  fft.transform(samples, spectrum);
  return spectrum;
}

/** The sum as it is in the books. */
function directly(samples: Float64Array): Float64Array {
  const size = samples.length;
  const spectrum = new Float64Array(2 * ((size >> 1) + 1));
  for (let k = 0; k <= size >> 1; k++) {
    samples.forEach((value, n) => {
      const angle = (-2 * Math.PI * ((k * n) % size)) / size;
      spectrum[2 * k]! += value * Math.cos(angle);
      spectrum[2 * k + 1]! += value * Math.sin(angle);
    });
  }
  return spectrum;
}

function furthest(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i]!)), 0);
}

const signal = (size: number, seed?: number) => Float64Array.from(testSignal(size, seed));
const powersOfTwo = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const smallFactors = [3, 5, 6, 9, 10, 12, 15, 20, 25, 30, 49, 50, 100, 121, 169, 200, 240, 400, 480, 600, 1200];
const largeFactors = [17, 19, 34, 97, 101, 202, 254, 551, 1102, 1103];

describe("makeRealFft", () => {
  it.each([...powersOfTwo, ...smallFactors, ...largeFactors])(
    "gives the sums of the definition for size %i",
    (size) => {
      expect(furthest(transform(signal(size)), directly(signal(size)))).toBeLessThan(1e-11 * size);
    },
  );

  const sizes = fc.integer({ min: 2, max: 700 });

  it("keeps the energy (Parseval) for any size", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, seed) => {
        const samples = signal(size, seed);
        const spectrum = transform(samples);
        let energy = 0;
        for (let k = 0; k <= size >> 1; k++) {
          // All bins but the first and, of an even size, the last stand for two.
          const times = k === 0 || 2 * k === size ? 1 : 2;
          energy += times * (spectrum[2 * k]! ** 2 + spectrum[2 * k + 1]! ** 2);
        }
        const expected = samples.reduce((sum, value) => sum + value * value, 0) * size;
        expect(Math.abs(energy / expected - 1)).toBeLessThan(1e-11);
      }),
      { numRuns: 60 },
    );
  });

  it("is linear", () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: -3, max: 3, noNaN: true }), (size, factor) => {
        const [a, b] = [signal(size, 1), signal(size, 2)];
        const [ofA, ofB] = [transform(a), transform(b)];
        const ofSum = transform(a.map((value, i) => value + factor * b[i]!));
        expect(
          furthest(
            ofSum,
            ofA.map((value, i) => value + factor * ofB[i]!),
          ),
        ).toBeLessThan(1e-10 * size);
      }),
      { numRuns: 40 },
    );
  });

  it("turns the phases where samples are shifted around, and keeps the magnitudes", () => {
    fc.assert(
      fc.property(sizes, fc.nat({ max: 700 }), (size, shift) => {
        const samples = signal(size);
        const shifted = samples.map((_, i) => samples[(i + shift) % size]!);
        const magnitudes = (spectrum: Float64Array) =>
          Float64Array.from({ length: spectrum.length / 2 }, (_, k) =>
            Math.hypot(spectrum[2 * k]!, spectrum[2 * k + 1]!),
          );
        expect(furthest(magnitudes(transform(samples)), magnitudes(transform(shifted)))).toBeLessThan(1e-10 * size);
      }),
      { numRuns: 40 },
    );
  });

  it("takes missing samples for zeros, also after a longer frame", () => {
    const fft = makeRealFft(16);
    const spectrum = new Float64Array(18);
    fft.transform(signal(16), spectrum);
    fft.transform(signal(5), spectrum);
    expect(furthest(spectrum, directly(Float64Array.of(...signal(5), ...new Float64Array(11))))).toBeLessThan(1e-12);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 27])("refuses the size %s", (size) => {
    expect(() => makeRealFft(size)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});
