// The kernels against the same frames in float64.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeDoubleFrames } from "../../../src/features/frames/double-frames.ts";
import type { FrameSpec } from "../../../src/features/frames/frame-spec.ts";
import { canUseSimd, makeSimdFrames } from "../../../src/features/frames/simd-frames.ts";
import { makeSparseFilters } from "../../../src/features/sparse-filters.ts";
import { testSignal } from "../../support/features/compare.ts";

function run(make: typeof makeSimdFrames, spec: FrameSpec, samples: Float32Array, frames: number) {
  const count = spec.filters.count;
  const output = new Float32Array((frames + 2) * (count + 3)).fill(-1);
  const energies = new Float64Array(frames + 2);
  make(spec).run({
    samples,
    firstSample: 3,
    frames,
    output,
    firstRow: 1,
    rowLength: count + 3,
    firstColumn: 2,
    energies,
  });
  return { output, energies };
}

const base: FrameSpec = {
  frameLength: 400,
  frameShift: 160,
  fftSize: 512,
  window: Float64Array.from({ length: 400 }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 400)),
  isKaldi: false,
  removeMean: true,
  preemphasis: 0.97,
  energy: "raw",
  spectrum: "power",
  filters: makeSparseFilters(20, 257, (filter, bin) => Math.max(0, 1 - Math.abs(bin - 12 * (filter + 1)) / 12)),
  floor: 1e-7,
  log: true,
};

/** Sizes that are even and made of 2, 3 and 5. */
const sizes = [
  2, 4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 50, 64, 90, 120, 128, 150, 250, 256, 400, 480, 512, 600, 1024, 2048,
];

const specs = fc
  .record({
    fftSize: fc.constantFrom(...sizes),
    missing: fc.nat({ max: 40 }),
    frameShift: fc.integer({ min: 1, max: 300 }),
    isKaldi: fc.boolean(),
    removeMean: fc.boolean(),
    preemphasis: fc.constantFrom(0, 0.97),
    energy: fc.constantFrom("none", "raw", "windowed"),
    spectrum: fc.constantFrom("power", "magnitude"),
    filters: fc.integer({ min: 1, max: 9 }),
    log: fc.boolean(),
  })
  .map(({ missing, filters, ...rest }): FrameSpec => {
    const frameLength = Math.max(1, rest.fftSize - missing);
    const bins = rest.fftSize / 2 + 1;
    return {
      ...rest,
      frameLength,
      window: Float64Array.from(
        { length: frameLength },
        (_, i) => 0.6 - 0.4 * Math.cos((2 * Math.PI * (i + 0.5)) / frameLength),
      ),
      // Wide and narrow ones, some with holes, some empty.
      filters: makeSparseFilters(filters, bins, (filter, bin) => (bin % (filter + 1) === filter ? 1 / (1 + bin) : 0)),
      floor: rest.log ? 1e-3 : undefined,
    };
  });

describe("makeSimdFrames", () => {
  it("gives what float64 gives, for all kinds of specs", () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 9 }), (spec, frames) => {
        const samples = testSignal(3 + (frames - 1) * spec.frameShift + spec.frameLength);
        const [ours, exact] = [
          run(makeSimdFrames, spec, samples, frames),
          run(makeDoubleFrames, spec, samples, frames),
        ];
        const largest = Math.max(1, ...exact.output.map(Math.abs));
        const tolerance = spec.log ? 5e-4 : 5e-6 * largest;
        ours.output.forEach((value, i) => {
          expect(Math.abs(value - exact.output[i]!)).toBeLessThan(tolerance);
        });
        if (spec.energy === "none") return;
        ours.energies.forEach((value, i) => {
          expect(Math.abs(value - exact.energies[i]!)).toBeLessThanOrEqual(1e-5 * exact.energies[i]! + 1e-9);
        });
      }),
      { numRuns: 80 },
    );
  });

  it("does not depend on how many frames there are, across its blocks and groups of four", () => {
    const samples = testSignal(3 + 299 * 160 + 400);
    const all = run(makeSimdFrames, base, samples, 300).output;
    for (const frames of [1, 2, 3, 4, 5, 127, 128, 129, 131, 256, 299]) {
      const some = run(makeSimdFrames, base, samples, frames).output;
      const length = (frames + 1) * 23;
      expect(some.subarray(0, length)).toEqual(all.subarray(0, length));
    }
  });

  it("writes to its own columns and rows only", () => {
    const { output } = run(makeSimdFrames, base, testSignal(3 + 4 * 160 + 400), 5);
    const untouched = output.map((value, i) => {
      const [row, column] = [Math.floor(i / 23), i % 23];
      return row >= 1 && row <= 5 && column >= 2 && column < 22 ? 0 : value + 1;
    });
    expect(untouched.every((value) => value === 0)).toBe(true);
  });

  it("has a logarithm as exact as a float", () => {
    // A frame of one sample whose power is its square: the logarithm of any power can be asked for.
    const filters = makeSparseFilters(1, 2, (_, bin) => (bin === 0 ? 1 : 0));
    const spec: FrameSpec = {
      ...{ ...base, filters, frameLength: 1, frameShift: 1, fftSize: 2, window: Float64Array.of(1) },
      ...{ removeMean: false, preemphasis: 0, energy: "none", floor: 2 ** -126 },
    };
    const samples = Float32Array.from({ length: 4000 }, (_, i) => Math.exp((i - 2000) / 47));
    const output = new Float32Array(samples.length);
    const job = { samples, firstSample: 0, frames: samples.length, output, firstRow: 0, rowLength: 1, firstColumn: 0 };
    makeSimdFrames(spec).run({ ...job, energies: undefined });
    output.forEach((value, i) => {
      const expected = Math.log(Math.max(2 ** -126, Math.fround(samples[i]! ** 2)));
      if (Number.isFinite(expected))
        expect(Math.abs(value - expected)).toBeLessThan(2e-7 * Math.max(1, Math.abs(expected)));
      else expect(value).toBe(expected);
    });
  });

  it("leaves sizes with other factors to float64", () => {
    expect([512, 400, 2, 1200, 2048].map((fftSize) => canUseSimd({ ...base, fftSize }))).not.toContain(false);
    expect([511, 401, 14, 1102, 3, 1].map((fftSize) => canUseSimd({ ...base, fftSize }))).not.toContain(true);
  });
});
