/**
 * Positions of the control words that a worker shares with its heartbeat thread. The words of the held claims follow
 * them.
 */
export const controlSlot = {
  /** Incremented by the thread, so that the worker notices the time without reading a clock for every item. */
  tick: 0,
  /** Set to 1 when the worker must leave: checkpoint, release its shards, end. */
  leaving: 1,
  /** Incremented whenever the worker is not blocked by `forward`, if calls have a time limit. */
  call: 2,
  /** Set to 1, and the thread is woken, when the thread must end. */
  ending: 3,
  /** Set to 1 when the worker must claim no more shards. */
  draining: 4,
  size: 5,
} as const;

/** The control words of one held claim. */
export const heldSlot = {
  /** A shard's number, {@link mergeCode} or {@link nothingHeld}. */
  target: 0,
  attempt: 1,
  /** Set to 1 by the thread when the lease is lost. */
  isLost: 2,
  /** Items in the largest open call; 0 while none is open. A call may take the time limit for each of its items. */
  callItems: 3,
  /** The number of items, from the first open call on, of which any may be running. */
  callSpan: 4,
  size: 5,
} as const;

export const nothingHeld = -1;
export const mergeCode = -2;

/**
 * Positions of the counters that the thread reports. Only the worker writes them. The counters of the held claims
 * follow.
 */
export const counterSlot = {
  done: 0,
  failed: 1,
  dropped: 2,
  inFlight: 3,
  waiting: 4,
  retrying: 5,
  retries: 6,
  size: 7,
} as const;

/** The counters of one held claim. */
export const heldCounter = { position: 0, from: 1, since: 2, callPosition: 3, size: 4 } as const;

/** Where the words and the counters of the claim with this index begin. */
export function heldAt(index: number): { readonly word: number; readonly counter: number } {
  return { word: controlSlot.size + index * heldSlot.size, counter: counterSlot.size + index * heldCounter.size };
}

/** What the heartbeat thread checks in addition to the lease. */
export interface Watch {
  /** Milliseconds that an item may take. The worker is ended if a call takes longer and blocks it. */
  readonly itemTimeoutMs?: number | undefined;
  /** The process that started this one. When it is gone, the worker must leave; if it does not, it is ended. */
  readonly parentPid?: number | undefined;
}

export interface HeartbeatData {
  readonly control: Int32Array;
  readonly counters: Float64Array;
  /** How many claims the worker may hold at the same time. */
  readonly maxHeld: number;
  readonly runDir: string;
  readonly worker: string;
  readonly leaseText: string;
  readonly beatMs: number;
  readonly renewMs: number;
  readonly watch: Watch | undefined;
}
