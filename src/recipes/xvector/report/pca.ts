import { dot } from "../dot.ts";
import { toUnit } from "../to-unit.ts";

/** Points of a plane. */
export interface PlanePoints {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** The fraction of the variance of each of the two directions. */
  readonly explained: readonly [number, number];
}

const rounds = 300;

/**
 * The two principal components of vectors of length 1, by power iteration on their covariance. The same vectors always
 * give the same picture: the start is fixed, and the largest coordinate of a direction is positive.
 */
export function projectToPlane(vectors: readonly Float32Array[]): PlanePoints {
  const count = vectors.length;
  const size = vectors[0]?.length ?? 0;
  const centred = centre(vectors, size);
  const total = centred.reduce((sum, row) => sum + dot(row, row), 0) || 1;
  const axes: Float64Array[] = [];
  const variances: number[] = [];
  for (let k = 0; k < 2; k++) {
    const axis = findAxis(centred, size, axes);
    axes.push(axis);
    variances.push(centred.reduce((sum, row) => sum + dot(row, axis) ** 2, 0));
  }
  const along = (axis: Float64Array) => Float64Array.from({ length: count }, (_, i) => dot(centred[i]!, axis));
  return { x: along(axes[0]!), y: along(axes[1]!), explained: [variances[0]! / total, variances[1]! / total] };
}

function centre(vectors: readonly Float32Array[], size: number): Float64Array[] {
  const units = vectors.map(toUnit);
  const mean = new Float64Array(size);
  for (const unit of units) for (let k = 0; k < size; k++) mean[k] = mean[k]! + unit[k]! / units.length;
  for (const unit of units) for (let k = 0; k < size; k++) unit[k] = unit[k]! - mean[k]!;
  return units;
}

function findAxis(rows: readonly Float64Array[], size: number, before: readonly Float64Array[]): Float64Array {
  let axis = Float64Array.from({ length: size }, (_, k) => 1 / (k + 1));
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(size);
    for (const row of rows) {
      const weight = dot(row, axis);
      for (let k = 0; k < size; k++) next[k] = next[k]! + weight * row[k]!;
    }
    for (const other of before) {
      const share = dot(next, other);
      for (let k = 0; k < size; k++) next[k] = next[k]! - share * other[k]!;
    }
    const length = Math.sqrt(dot(next, next));
    // The vectors do not differ in any other direction.
    if (!(length > 1e-12)) return new Float64Array(size);
    for (let k = 0; k < size; k++) next[k] = next[k]! / length;
    const isSettled = Math.abs(dot(next, axis)) > 1 - 1e-13;
    axis = next;
    if (isSettled && round > 2) break;
  }
  const largest = axis.reduce((best, value, k) => (Math.abs(value) > Math.abs(axis[best]!) ? k : best), 0);
  return (axis[largest] ?? 0) < 0 ? axis.map((value) => -value) : axis;
}
