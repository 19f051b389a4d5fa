import type { ObjectClaim, ObjectWorker } from "./claim-shard.ts";
import { list, type ObjectSteps, put, read, remove } from "./object-step.ts";

/** What a segment says besides its bytes: it is one request, so both are there or neither. */
export interface Segment {
  /** How many items are in this segment and those before it. */
  readonly position: number;
  /** The keys of all segments up to and with this one, in order; those of earlier attempts too. */
  readonly chain: readonly string[];
  readonly text: string;
}

/** Where an attempt begins. */
export interface Progress {
  readonly position: number;
  readonly chain: readonly string[];
}

const nothing: Progress = { position: 0, chain: [] };

/** The furthest segment of any attempt. Nothing is copied: the next segments refer to it. */
export function* findProgress({ shard }: ObjectClaim, { keys }: ObjectWorker): ObjectSteps<Progress> {
  const newest = new Map<number, number>();
  const prefix = keys.attempts(shard);
  for (const key of yield* list(prefix)) {
    const [, of, number] = /^(\d+)\/segment-(\d+)$/.exec(key.slice(prefix.length)) ?? [];
    if (of === undefined) continue;
    newest.set(Number(of), Math.max(newest.get(Number(of)) ?? 0, Number(number)));
  }
  let best = nothing;
  for (const [earlier, number] of newest) {
    const segment = parseSegment(yield* read(keys.segment(shard, earlier, number)));
    if (segment !== undefined && segment.position > best.position) best = segment;
  }
  return { position: best.position, chain: best.chain };
}

/** Writes the next segment of an attempt. It is never changed: written again, it has the same bytes. */
export function* writeSegment(
  { shard, attempt }: ObjectClaim,
  { number, position, chain, text }: Progress & { readonly number: number; readonly text: string },
  { keys }: ObjectWorker,
): ObjectSteps<Progress> {
  const key = keys.segment(shard, attempt, number);
  const whole = [...chain, key];
  yield* put(key, JSON.stringify({ position, chain: whole, text } satisfies Segment));
  return { position, chain: whole };
}

/** Removes what a committed shard does not need. Only what its commit does not name, and only once it is there. */
export function* removeOtherSegments(
  shard: number,
  chain: readonly string[],
  { keys }: ObjectWorker,
): ObjectSteps<void> {
  const needed = new Set(chain);
  for (const key of yield* list(keys.attempts(shard))) if (!needed.has(key)) yield* remove(key);
}

export function parseSegment(text: string | undefined): Segment | undefined {
  try {
    const segment = JSON.parse(text ?? "") as Segment;
    const isWhole =
      Number.isSafeInteger(segment.position) && typeof segment.text === "string" && Array.isArray(segment.chain);
    return isWhole ? segment : undefined;
  } catch {
    return undefined;
  }
}
