import type { Items } from "../plan/collect-items.ts";
import type { Task } from "./task.ts";

/**
 * A run that is running in this process. Iterate it to get the records of each shard when it is committed, in the order
 * of the commits; with custom writers there are none. `await using` stops it at the end of the block.
 */
export interface RunningRun<Result, Merged> extends AsyncIterable<Result>, AsyncDisposable {
  /** The result that `run` would return. */
  readonly result: Promise<Merged>;
  /** Saves and ends the run. Finished work is kept in `outputDir`. */
  stop(): Promise<void>;
}

/** A function that receives the records of committed shards. */
export type OnRecords = (records: Iterable<unknown>) => void;

interface Driver {
  runTask<Merged>(task: Task<Merged>, items: Items, onRecords: OnRecords): Promise<Merged>;
}

interface Start {
  readonly items: Items;
  readonly loadDriver: () => Promise<Driver>;
  readonly signal: AbortSignal | undefined;
}

export function startRun<Result, Merged>(
  makeTask: (signal: AbortSignal) => Task<Merged>,
  { items, loadDriver, signal }: Start,
): RunningRun<Result, Merged> {
  const controller = new AbortController();
  const stopping = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const queue = new RecordQueue<Result>();
  const result = loadDriver().then(async ({ runTask }) =>
    runTask(makeTask(stopping), items, (records) => queue.push(records as Iterable<Result>)),
  );
  const ended = result.finally(() => queue.end());
  const stop = async () => {
    controller.abort();
    try {
      await result;
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== "RUN_STOPPED") throw error;
    }
  };
  return {
    result,
    stop,
    [Symbol.asyncDispose]: stop,
    async *[Symbol.asyncIterator]() {
      // The error of the run is thrown below, after its records.
      ended.catch(() => {});
      yield* queue;
      await result;
    },
  };
}

/** Passes records from the run that makes them to the loop that iterates them. */
class RecordQueue<Result> implements AsyncIterable<Result> {
  private readonly waiting: Iterable<Result>[] = [];
  private hasEnded = false;
  private wake = () => {};

  push(records: Iterable<Result>): void {
    this.waiting.push(records);
    this.wake();
  }

  end(): void {
    this.hasEnded = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Result> {
    for (;;) {
      const next = this.waiting.shift();
      if (next !== undefined) yield* next;
      else if (this.hasEnded) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
