import { readLines } from "../../index.ts";

/** The number of utterances with a length from `from` (inclusive) to `to` (exclusive). */
interface LengthBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A summary of the lengths of all utterances. */
export interface LengthHistogram {
  readonly count: number;
  readonly total: number;
  readonly shortest: number;
  readonly longest: number;
  readonly mean: number;
  readonly bins: readonly LengthBin[];
}

const aboutBins = 40;

/**
 * The histogram of a shape file's first dimension. The file is read twice, so that only the bins are in memory, however
 * many utterances there are.
 */
export function measureLengths(shapeFile: string): LengthHistogram {
  let [count, total, shortest, longest] = [0, 0, Number.POSITIVE_INFINITY, 0];
  for (const length of lengthsIn(shapeFile)) {
    count++;
    total += length;
    shortest = Math.min(shortest, length);
    longest = Math.max(longest, length);
  }
  if (count === 0) return { count, total, shortest: 0, longest, mean: 0, bins: [] };
  const width = roundWidth((longest - shortest + 1) / aboutBins);
  const first = Math.floor(shortest / width);
  const counts = new Array<number>(Math.floor(longest / width) - first + 1).fill(0);
  for (const length of lengthsIn(shapeFile)) counts[Math.floor(length / width) - first]!++;
  const bins = counts.map((inBin, i) => ({ from: (first + i) * width, to: (first + i + 1) * width, count: inBin }));
  return { count, total, shortest, longest, mean: total / count, bins };
}

function* lengthsIn(shapeFile: string): Generator<number> {
  for (const line of readLines(shapeFile)) yield Number.parseInt(line.slice(line.indexOf(" ") + 1), 10);
}

/** 1, 2 or 5 times a power of ten: bins with readable bounds. */
function roundWidth(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((width) => width >= least) ?? 10 * power;
}
