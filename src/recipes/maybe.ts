import { type Shape, shape } from "../index.ts";

/** A key that may be missing or `null`, as Hydra's users write it. */
export function maybe<T>(inner: Shape<T>): Shape<T | null | undefined> {
  return shape.optional(shape.nullable(inner));
}

export const path: Shape<string> = shape.string({ pattern: /^[^\0]+$/, expected: "a path" });
