import type { RunnerHooks } from "../../contract/runner-hooks.ts";

/** Runs a runner's `prefetch` ahead of `forward`. */
export interface Prefetcher {
  /** Starts to fetch these items, as many as `maxBytes` allows. */
  ahead(position: number, indices: readonly number[]): void;
  /** Returns the fetched values for the items of a call. Fetches those that were not begun. */
  get(position: number, indices: readonly number[]): Promise<unknown[]>;
  /** Forgets the values for the items of a call that has ended. */
  release(position: number, count: number): void;
}

interface Fetched {
  readonly value: Promise<unknown>;
  bytes: number;
}

/** The bytes of all prefetched values of a worker, and their maximum. */
export interface PrefetchMemory {
  bytes: number;
  readonly maxBytes: number;
}

export function openPrefetcher(
  prefetch: NonNullable<RunnerHooks["prefetch"]>,
  { env, room }: { readonly env: object; readonly room: PrefetchMemory },
): Prefetcher {
  const fetched = new Map<number, Fetched>();
  const forget = (position: number) => {
    room.bytes -= fetched.get(position)?.bytes ?? 0;
    fetched.delete(position);
  };
  const begin = (position: number, idx: number): Promise<unknown> => {
    const known = fetched.get(position);
    if (known !== undefined) return known.value;
    const value = (async () => prefetch(idx, env))();
    const entry: Fetched = { value, bytes: 0 };
    fetched.set(position, entry);
    value.then(
      (got) => {
        if (fetched.get(position) !== entry) return;
        entry.bytes = sizeOf(got);
        room.bytes += entry.bytes;
      },
      // The item fails at its call; the next try fetches it again.
      () => forget(position),
    );
    return value;
  };
  return {
    ahead(position, indices) {
      for (const [i, idx] of indices.entries()) {
        if (room.bytes >= room.maxBytes) return;
        begin(position + i, idx);
      }
    },
    get: (position, indices) => Promise.all(indices.map((idx, i) => begin(position + i, idx))),
    release(position, count) {
      for (let i = 0; i < count; i++) forget(position + i);
    },
  };
}

const maxDepth = 4;

/** The approximate size of a value: the bytes of its buffers and texts, and a little for the rest. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null || depth > maxDepth) return 8;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  let bytes = 16;
  for (const part of Object.values(value)) bytes += sizeOf(part, depth + 1);
  return bytes;
}
