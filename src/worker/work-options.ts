/** How a worker treats items. All of it may change from one resume to the next. */
export interface WorkOptions {
  /** Indices per call of `forward`; undefined: one index, not an array. */
  readonly batchSize: number | undefined;
  readonly batchBy: BatchBy | undefined;
  readonly onError: "fail" | "skip";
  /** Further tries of a failing item before it counts as failed. */
  readonly retries: number;
  /** How many items may fail before the run stops. */
  readonly maxFailures: number;
  readonly itemTimeoutMs: number | undefined;
  readonly checkpointIntervalMs: number;
  readonly leaseTtlMs: number;
}

/** Batches by the runner's static `itemCost(idx, env)` instead of by count. */
export interface BatchBy {
  /** `sum`: the costs added up. `padded`: the greatest cost times the number, as a padded tensor costs. */
  readonly cost: "sum" | "padded";
  /** A batch stays at or below it; an item that costs more stands alone. */
  readonly max: number;
}

/** Whether `forward` gets arrays. */
export function isBatched({ batchSize, batchBy }: Pick<WorkOptions, "batchSize" | "batchBy">): boolean {
  return batchSize !== undefined || batchBy !== undefined;
}
