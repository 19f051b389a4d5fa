import { closeSync, openSync, writeSync } from "node:fs";
import type { Lease } from "./lease.ts";

/**
 * What a worker's file says about it. The file is written again a few times a second; it is the worker's lease too, by
 * the other names it has among the leases.
 */
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
  /** Where in that shard this attempt began, and when: milliseconds since 1970 by its host's clock. */
  readonly from?: number | undefined;
  readonly since?: number | undefined;
  /** Bytes of memory that its process holds, and may hold where its cgroup has a limit. */
  readonly rss?: number | undefined;
  readonly memoryLimit?: number | undefined;
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

/** The memory that a worker last reported, where it has a limit. */
export function reportedMemory(text: string): { readonly rss: number; readonly limit: number } | undefined {
  const { rss, memoryLimit: limit } = parseReport(text) ?? {};
  return rss === undefined || limit === undefined ? undefined : { rss, limit };
}

// Written over in place at a fixed length: the names that are leases stay names of it, and no reader finds it empty.
const reportBytes = 1024;

/** The bytes of a report, as they stand in the file. */
export function reportText(report: WorkerReport): string {
  return `${JSON.stringify(report).padEnd(reportBytes - 1)}\n`;
}

/** The report of a worker that has just begun. */
export function firstReport(lease: Lease): WorkerReport {
  return { ...lease, shard: -1, epoch: 0, position: 0, done: 0, failed: 0, dropped: 0, itemsPerSecond: 0 };
}

/** Writes a report over the one in a file; false where the file is gone. Its age becomes the file system's "now". */
export function renewReport(path: string, text: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "r+");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return false;
    throw error;
  }
  try {
    writeSync(fd, text, 0);
  } finally {
    closeSync(fd);
  }
  return true;
}
