import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addExactly, type ExactSum } from "../../../src/features/statistics/exact-sum.ts";
import {
  addFrames,
  type FrameSums,
  frameTotals,
  makeFrameSums,
  mergeFrameSums,
  sumPlainly,
} from "../../../src/features/statistics/frame-sums.ts";
import { roundExact } from "../../../src/features/statistics/round-exact.ts";
import { makeSumKernel } from "../../../src/features/statistics/sum-kernel.ts";
import { decodeState, encodeState } from "../../../src/values/state-json.ts";
import { pythonWith } from "../../support/formats/python.ts";

const python = pythonWith("math");
const anyFloat = fc.float({ noNaN: true, noDefaultInfinity: true });

/** Utterances of a few columns with values of all sizes, so that every order of plain additions gives other bits. */
const corpora = fc.integer({ min: 1, max: 20 }).chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    utterances: fc.array(
      fc.array(anyFloat, { minLength: 0, maxLength: 60 }).map((values) => {
        const rows = Math.floor(values.length / columns);
        return { rows, data: Float32Array.from(values.slice(0, rows * columns)) };
      }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
);

function sumsOf(columns: number, utterances: readonly { rows: number; data: Float32Array }[]): FrameSums {
  const sums = makeFrameSums(columns);
  for (const { rows, data } of utterances) addFrames(sums, data, rows);
  return sums;
}

describe("the sums of a corpus", () => {
  it("have the same bits for any order and grouping of the utterances", () => {
    fc.assert(
      fc.property(corpora, fc.integer(), fc.integer({ min: 1, max: 5 }), ({ columns, utterances }, seed, groups) => {
        const expected = frameTotals(sumsOf(columns, utterances));
        const shuffled = utterances
          .map((utterance, i) => ({ utterance, place: Math.imul(seed + i, 0x9e3779b1) >>> 0 }))
          .sort((a, b) => a.place - b.place)
          .map(({ utterance }) => utterance);
        const total = makeFrameSums(columns);
        for (let group = 0; group < groups; group++) {
          const part = sumsOf(
            columns,
            shuffled.filter((_, i) => i % groups === group),
          );
          mergeFrameSums(total, part);
        }
        expect(frameTotals(total)).toEqual(expected);
      }),
    );
  });

  it("continue from a checkpoint as if nothing had happened", () => {
    fc.assert(
      fc.property(corpora, fc.nat(12), ({ columns, utterances }, at) => {
        const before = sumsOf(columns, utterances.slice(0, at));
        const { restored } = decodeState(encodeState({ restored: before })) as { restored: FrameSums };
        for (const { rows, data } of utterances.slice(at)) addFrames(restored, data, rows);
        expect(restored).toEqual(sumsOf(columns, utterances));
      }),
    );
  });

  it("do not drift: a small value beside large ones that cancel is still there", () => {
    const sums = makeFrameSums(1);
    for (const value of [2 ** 100, 1, 2 ** 60, -(2 ** 100), 2 ** -60, -(2 ** 60)]) {
      addFrames(sums, Float64Array.of(value), 1);
    }
    expect(frameTotals(sums).sum[0]).toBe(1 + 2 ** -60);
    addFrames(sums, Float64Array.of(-1), 1);
    expect(frameTotals(sums).sum[0]).toBe(2 ** -60);
  });

  it.each([1, 2, 3, 5, 7, 8, 13, 16, 80, 192])("of %i columns are those of a plain loop over each block", (columns) => {
    const rows = 700;
    const data = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(i * 1.7) * 10 ** ((i % 9) - 4));
    const kernel = makeSumKernel({ columns, blockRows: rows });
    kernel.input.set(data);
    kernel.run(rows);
    const plain = sumPlainly(data, 0, { rows, columns });
    expect(kernel.sum).toEqual(plain.sum);
    expect(kernel.sumSquare).toEqual(plain.sumSquare);
  });

  it("count every row once, also where narrow rows are taken several at a time", () => {
    for (const columns of [1, 2, 3, 7, 8, 80]) {
      const rows = 1100;
      const data = Float32Array.from({ length: rows * columns }, (_, i) => (i % columns) + 1);
      const { sum, sumSquare, count } = frameTotals(sumsOf(columns, [{ rows, data }]));
      expect(count).toBe(rows);
      expect([...sum]).toEqual(Array.from({ length: columns }, (_, i) => rows * (i + 1)));
      expect([...sumSquare]).toEqual(Array.from({ length: columns }, (_, i) => rows * (i + 1) ** 2));
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuse %d", (value) => {
    const sums = makeFrameSums(2);
    expect(() => addFrames(sums, Float32Array.of(1, value), 1)).toThrow(
      expect.objectContaining({ code: "BAD_RECORD" }),
    );
  });

  it("refuse numbers that are no whole rows, and sums of another width", () => {
    expect(() => addFrames(makeFrameSums(3), new Float32Array(4), 1)).toThrow(/4 numbers are not 1 rows of 3/);
    expect(() => mergeFrameSums(makeFrameSums(3), makeFrameSums(2))).toThrow(/2 columns cannot be added to 3/);
  });

  it("of no rows are zero", () => {
    expect(frameTotals(makeFrameSums(2))).toEqual({
      count: 0,
      sum: new Float64Array(2),
      sumSquare: new Float64Array(2),
    });
  });
});

describe.skipIf(python === undefined)("an exact sum (skipped where there is no Python)", () => {
  it("is the true sum, rounded once, as Python's fsum gives it", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
    const samples = fc.sample(fc.array(value, { maxLength: 40 }), 400);
    // Ties, subnormal numbers and what cancels to nothing.
    samples.push([2 ** 53, 1], [2 ** 53, 1, 2 ** -1074], [2 ** 53 + 2, 1], [5e-324, 5e-324], [1e16, 1, -1e16], []);
    const sums = samples.map((numbers) => {
      const levels: ExactSum = [];
      for (const number of numbers) addExactly(levels, Float64Array.of(number), 0, 1);
      return roundExact(levels, 1)[0];
    });
    const script = "import json,math,sys\nfor line in sys.stdin: print(repr(math.fsum(json.loads(line))))";
    const input = samples.map((numbers) => JSON.stringify(numbers)).join("\n");
    const { stdout } = spawnSync(python!, ["-c", script], { input, encoding: "utf8" });
    expect(sums.map((sum) => sum! + 0)).toEqual(
      stdout
        .trim()
        .split("\n")
        .map((text) => Number(text) + 0),
    );
  });
});
