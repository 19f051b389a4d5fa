// Replaces src/run-folder/lease/grown-ttl.ts: the disk of the guide shows heartbeats at once, and the page stays small.
export function growTtl(_paths: unknown, ttlMs: number): number {
  return ttlMs;
}

export function readGrownTtl(): undefined {
  return undefined;
}
