import type { PackedError } from "../../errors/pack-error.ts";

/**
 * What was submitted to a scheduler. It is written before the call and again after it: one without an id may or may not
 * have been submitted.
 */
export interface Submission {
  readonly version: 1;
  /** Its name at the scheduler. */
  readonly name: string;
  readonly env: string;
  readonly tasks: number;
  /** Workers in each task. */
  readonly processes: number;
  readonly id?: string | undefined;
  readonly walltimeSeconds?: number | undefined;
  readonly graceSeconds: number;
  readonly threadsPerWorker?: number | undefined;
  readonly maxHeapMb?: number | undefined;
  /**
   * The scheduler options that later calls need to reach the same place: a namespace, a schedd. Older records have
   * none.
   */
  readonly own?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  /** The folder with the output of its tasks, where that is not the run's own. */
  readonly logDirectory?: string | undefined;
  /** The host on which it was started without a scheduler. */
  readonly host?: string | undefined;
  /** Who submitted it and where, for people to read. The owner of its file decides who may cancel it. */
  readonly by?: string | undefined;
  /** It is not watched any more: it was cancelled, or never made. */
  readonly isClosed?: boolean | undefined;
  /** Others replace it, because it was not known whether it was made. If it starts after all, its tasks leave at once. */
  readonly isUnwanted?: boolean | undefined;
}

/**
 * How a task has ended, by its own report. `deadline`: its time was up while items were left. `withdrawn`: the driver
 * cancelled it before it began, and replaced it.
 */
export type TaskOutcome = "complete" | "left" | "deadline" | "failed" | "withdrawn";

/** The report of a task about itself. */
export interface TaskReport {
  readonly version: 1;
  readonly node: string;
  readonly pid: number;
  /** Whether one of its workers has built its env. */
  readonly wasReady: boolean;
  /** Undefined while it runs, and if it was killed. */
  readonly outcome?: TaskOutcome | undefined;
  /** It has asked the scheduler to run it again. */
  readonly isRequeued?: boolean | undefined;
  readonly error?: PackedError | undefined;
}
