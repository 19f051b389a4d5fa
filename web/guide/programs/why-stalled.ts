// Replaces src/run-folder/run/why-stalled.ts: no run of the guide takes minutes without an item, and the page stays small.
export function whyStalled(): undefined {
  return undefined;
}
