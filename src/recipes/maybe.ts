import { type Shape, shape } from "../index.ts";

/** A key that may be left out, also with `null`, as Hydra's users do. */
export function maybe<T>(inner: Shape<T>): Shape<T | null | undefined> {
  return shape.optional(shape.nullable(inner));
}

export const path: Shape<string> = shape.string({ pattern: /^[^\0]+$/, expected: "a path" });
