/** The outcome of a call for `count` items: a result, or the failure of one item. */
export type Answer =
  | { readonly kind: "result"; readonly count: number; readonly result: unknown }
  | { readonly kind: "failed"; readonly count: 1; readonly error: unknown; readonly tries: number };
