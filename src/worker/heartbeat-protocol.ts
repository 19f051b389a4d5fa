/** Slots of the control words that a worker and its heartbeat thread share. */
export const controlSlot = {
  /** Counted up by the thread: tells the worker that time has passed without its asking a clock for every item. */
  tick: 0,
  /** What is held: a shard's number, {@link mergeCode} or {@link nothingHeld}. */
  held: 1,
  epoch: 2,
  /** Set by the thread to the epoch whose lease is gone. */
  lostEpoch: 3,
  size: 4,
} as const;

export const nothingHeld = -1;
export const mergeCode = -2;

/** Slots of the counters the thread reports; only the worker writes them. */
export const counterSlot = { position: 0, done: 1, failed: 2, dropped: 3, size: 4 } as const;

export interface HeartbeatData {
  readonly control: Int32Array;
  readonly counters: Float64Array;
  readonly runDir: string;
  readonly worker: string;
  readonly leaseText: string;
  readonly tickMs: number;
  readonly renewMs: number;
}
