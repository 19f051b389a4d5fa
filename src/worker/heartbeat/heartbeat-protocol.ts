/** Slots of the control words that a worker shares with its heartbeat thread. Those of the claims it holds follow them. */
export const controlSlot = {
  /** Incremented by the thread: the worker sees that time has passed without reading a clock for every item. */
  tick: 0,
  /** Set to 1 when the worker must leave: checkpoint, release its shards, end. */
  leaving: 1,
  /** Incremented whenever the worker shows that `forward` does not block it, where calls have a time limit. */
  call: 2,
  /** Set to 1, and the thread is woken, when the thread must end. */
  ending: 3,
  /** Set to 1 when the worker must claim no more shards. */
  draining: 4,
  size: 5,
} as const;

/** The control words of one claim that is held. */
export const heldSlot = {
  /** A shard's number, {@link mergeCode} or {@link nothingHeld}. */
  target: 0,
  attempt: 1,
  /** Set to 1 by the thread when the lease was taken away. */
  isLost: 2,
  /** Items in the longest call that is running; 0 while none is. A call may take its time limit for each of them. */
  callItems: 3,
  /** How many items, from the first on, may be the one that runs. */
  callSpan: 4,
  size: 5,
} as const;

export const nothingHeld = -1;
export const mergeCode = -2;

/** Slots of the counters the thread reports; only the worker writes them. Those of the claims it holds follow them. */
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

/** The counters of one claim that is held. */
export const heldCounter = { position: 0, from: 1, since: 2, callPosition: 3, size: 4 } as const;

/** Where the words and the counters of a claim begin. */
export function heldAt(index: number): { readonly word: number; readonly counter: number } {
  return { word: controlSlot.size + index * heldSlot.size, counter: counterSlot.size + index * heldCounter.size };
}

/** What the thread checks besides the lease. */
export interface Watch {
  /** Milliseconds an item may take. The worker is ended if a call takes longer and does not end by itself. */
  readonly itemTimeoutMs?: number | undefined;
  /** The process that started this one. When it is gone, the worker must leave, and is ended if it does not. */
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
