/** Slots of the control words that a worker shares with the thread in which its heart beats. */
export const controlSlot = {
  /** Counted up by the thread: tells the worker that time has passed without its asking a clock for every item. */
  tick: 0,
  /** What is held: a shard's number, {@link mergeCode} or {@link nothingHeld}. */
  held: 1,
  epoch: 2,
  /** Set by the thread to the epoch whose lease is gone. */
  lostEpoch: 3,
  /** Set to 1 when the worker is to leave: checkpoint, give its shard back, end. */
  leaving: 4,
  /** Counted up at each call of `forward`, where calls have a time limit. */
  call: 5,
  /** Items in the call that is running; 0 while none is. */
  callItems: 6,
  /** Set to 1, and the thread woken, when it is to end. */
  ending: 7,
  /** Set to 1 when the worker is to claim nothing more. */
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

/** What the thread looks out for, besides the lease. */
export interface Watch {
  /** Milliseconds an item may take. A call that takes longer, and does not end by itself, is the end of its worker. */
  readonly itemTimeoutMs?: number | undefined;
  /** The process that started this one. Once it is gone, the worker leaves, and is ended if it does not. */
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
