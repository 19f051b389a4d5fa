import { dot } from "./dot.ts";

/** A vector scaled to length 1; a zero vector is unchanged. */
export function toUnit(vector: Float32Array): Float64Array {
  const unit = new Float64Array(vector);
  const length = Math.sqrt(dot(unit, unit)) || 1;
  for (let k = 0; k < unit.length; k++) unit[k] = unit[k]! / length;
  return unit;
}
