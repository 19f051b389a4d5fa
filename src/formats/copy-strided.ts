import { layouts, type NdArray, type NumberArray } from "./nd-array.ts";

/** The positions of an array's elements in a flat sequence of numbers, in elements. */
export interface Strides {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** Copies the elements of a strided view into C order. The caller has checked that they are inside `source`. */
export function copyStrided(source: NumberArray, dtype: NdArray["dtype"], view: Strides, count: number): NumberArray {
  const { arrayClass, parts } = layouts[dtype];
  const target = new arrayClass(count * parts) as NumberArray & Record<number, number | bigint>;
  const { shape, strides } = view;
  const rank = shape.length;
  const inner = rank === 0 ? 1 : shape[rank - 1]!;
  const innerStride = rank === 0 ? 0 : strides[rank - 1]! * parts;
  const index = new Array<number>(Math.max(0, rank - 1)).fill(0);
  let from = view.offset * parts;
  for (let to = 0; to < target.length; ) {
    for (let i = 0, at = from; i < inner; i++, at += innerStride) {
      for (let part = 0; part < parts; part++) target[to++] = source[at + part]!;
    }
    // Like an odometer: increments the last outer index that can grow, and resets those after it.
    for (let axis = rank - 2; axis >= 0; axis--) {
      from += strides[axis]! * parts;
      if (++index[axis]! < shape[axis]!) break;
      from -= shape[axis]! * strides[axis]! * parts;
      index[axis] = 0;
    }
  }
  return target;
}

/** The strides of an array in Fortran order: the first index changes fastest. */
export function fortranStrides(shape: readonly number[]): number[] {
  let stride = 1;
  return shape.map((dimension) => {
    const strideHere = stride;
    stride *= dimension;
    return strideHere;
  });
}

/** True if a view is plain C order; the strides of dimensions of size 1 do not matter. */
export function isContiguous({ shape, strides }: Strides): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== expected) return false;
    expected *= shape[axis]!;
  }
  return true;
}
