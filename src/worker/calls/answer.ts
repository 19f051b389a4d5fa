/** What a call has brought for `count` items: a result, or one item's failure. */
export type Answer =
  | { readonly kind: "result"; readonly count: number; readonly result: unknown }
  | { readonly kind: "failed"; readonly count: 1; readonly error: unknown; readonly tries: number };
