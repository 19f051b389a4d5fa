/** Every key of a run in an object store. No key is ever used for a second object: a request may arrive late. */
export interface ObjectKeys {
  readonly claims: string;
  /** Attempt `attempt` at a shard, by the worker that is named in it. */
  claim(shard: number, attempt: number): string;
  /** There where the attempt was given up by its own worker. */
  released(shard: number, attempt: number): string;
  /** What a worker writes again and again; only its age counts. */
  worker(worker: string): string;
  attempts(shard: number): string;
  segment(shard: number, attempt: number, number: number): string;
  /** The commit of a shard: it names the segments that are its output. */
  done(shard: number): string;
}

/** The keys below a prefix, which ends with a slash. */
export function objectKeys(root: string, machinery: string): ObjectKeys {
  const inside = `${root}${machinery}/`;
  return {
    claims: `${inside}claims/`,
    claim: (shard, attempt) => `${inside}claims/${shard}/${attempt}`,
    released: (shard, attempt) => `${inside}claims/${shard}/${attempt}.released`,
    worker: (worker) => `${inside}workers/${worker}`,
    attempts: (shard) => `${inside}attempts/${shard}/`,
    segment: (shard, attempt, number) => `${inside}attempts/${shard}/${attempt}/segment-${number}`,
    done: (shard) => `${root}split.${shard}/done`,
  };
}

/** The attempts at one shard, as a list of claims shows them. */
export interface ListedClaims {
  readonly highest: number;
  readonly isReleased: boolean;
}

export const noClaims: ListedClaims = { highest: 0, isReleased: false };

/** Groups the keys of claims by their shard. */
export function groupClaims(keys: ObjectKeys, listed: readonly string[]): Map<number, ListedClaims> {
  const found = new Map<number, ListedClaims>();
  for (const key of listed) {
    const [, shard, attempt, released] = /^(\d+)\/(\d+)(\.released)?$/.exec(key.slice(keys.claims.length)) ?? [];
    if (shard === undefined || attempt === undefined) continue;
    const { highest, isReleased } = found.get(Number(shard)) ?? noClaims;
    const number = Number(attempt);
    if (number < highest) continue;
    const isSame = number === highest && isReleased;
    found.set(Number(shard), { highest: number, isReleased: isSame || released !== undefined });
  }
  return found;
}
