/** Slots of the control words that a worker shares with its heartbeat thread. */
export const controlSlot = {
  /** Incremented by the thread: the worker sees that time has passed without reading a clock for every item. */
  tick: 0,
  /** What is held: a shard's number, {@link mergeCode} or {@link nothingHeld}. */
  held: 1,
  attempt: 2,
  /** Set by the thread to the attempt whose lease was taken away. */
  lostAttempt: 3,
  /** Set to 1 when the worker must leave: checkpoint, release its shard, end. */
  leaving: 4,
  /** Incremented at each call of `forward`, where calls have a time limit. */
  call: 5,
  /** Items in the call that is running; 0 while none is. */
  callItems: 6,
  /** Set to 1, and the thread is woken, when the thread must end. */
  ending: 7,
  /** Set to 1 when the worker must claim no more shards. */
  draining: 8,
  size: 9,
} as const;

export const nothingHeld = -1;
export const mergeCode = -2;

/** Slots of the counters the thread reports; only the worker writes them. */
export const counterSlot = {
  position: 0,
  done: 1,
  failed: 2,
  dropped: 3,
  callPosition: 4,
  from: 5,
  since: 6,
  size: 7,
} as const;

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
  readonly runDir: string;
  readonly worker: string;
  readonly leaseText: string;
  readonly beatMs: number;
  readonly renewMs: number;
  readonly watch: Watch | undefined;
}
