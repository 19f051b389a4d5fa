import type { Lease } from "./lease.ts";

/** What a worker's file says about it: written a few times a second by its heartbeat. */
export interface WorkerReport extends Lease {
  /** The shard in work; negative while there is none. */
  readonly shard: number;
  readonly epoch: number;
  /** Items of that shard that are done. */
  readonly position: number;
  /** Items this worker has done in all its shards. */
  readonly done: number;
  readonly failed: number;
  readonly dropped: number;
  readonly itemsPerSecond: number;
}

/** The report in a file's text, or undefined where it is torn. */
export function parseReport(text: string): WorkerReport | undefined {
  try {
    const report = JSON.parse(text) as Partial<WorkerReport>;
    return typeof report.worker === "string" && typeof report.shard === "number" ? (report as WorkerReport) : undefined;
  } catch {
    return undefined;
  }
}
