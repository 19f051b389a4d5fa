import { writeSync } from "node:fs";
import { type Lease, parseLease } from "../lease/lease.ts";
import { openToRewriteInRun } from "./run-files.ts";
import type { RunPaths } from "./run-paths.ts";
import { closeSync } from "./store-calls.ts";

/**
 * The report of a worker. Its file is overwritten a few times a second; hard links to it in the leases folder are the
 * worker's leases.
 */
export interface WorkerReport extends Lease {
  /** The current shard; negative while there is none. */
  readonly shard: number;
  /** The number of the attempt at that shard. The key in the file is older than the word attempt. */
  readonly epoch: number;
  /** Items of that shard that are done. */
  readonly position: number;
  /** The id of the item at that position, in a run over a dataset with ids. */
  readonly itemId?: string | undefined;
  /** Items this worker has done in all its shards. */
  readonly done: number;
  readonly failed: number;
  readonly dropped: number;
  readonly itemsPerSecond: number;
  /** The position at which this attempt began, and when: milliseconds since 1970 by its host's clock. */
  readonly from?: number | undefined;
  readonly since?: number | undefined;
  /** Calls of `forward` that are open, and calls repeated so far; only if several may be open at a time. */
  readonly inFlight?: number | undefined;
  readonly retries?: number | undefined;
  /** Calls that wait for the rate limit, and those that wait for their next try. */
  readonly waiting?: number | undefined;
  readonly retrying?: number | undefined;
  /** Counts its heartbeats: a reader with an old cache sees that the worker lives. Absent in runs of earlier versions. */
  readonly beat?: number | undefined;
  /** Milliseconds since an item of it ended last, and since its heartbeat began. */
  readonly idle?: number | undefined;
  readonly alive?: number | undefined;
  /** Bytes of memory that its process holds, and the limit of its cgroup if there is one. */
  readonly rss?: number | undefined;
  readonly memoryLimit?: number | undefined;
}

/** The report in a file's text, or undefined if it is incomplete. */
export function parseReport(text: string): WorkerReport | undefined {
  try {
    const report = JSON.parse(text) as Partial<WorkerReport>;
    const isWhole =
      parseLease(text) !== undefined &&
      Number.isSafeInteger(report.shard) &&
      amounts.every((name) => isAmount(report[name])) &&
      optionalAmounts.every((name) => report[name] === undefined || isAmount(report[name])) &&
      (report.itemId === undefined || isId(report.itemId));
    return isWhole ? (report as WorkerReport) : undefined;
  } catch {
    return undefined;
  }
}

// Numbers that are summed up and shown.
const amounts = ["epoch", "position", "itemsPerSecond"] as const;
const optionalAmounts = [
  "done",
  "failed",
  "dropped",
  "from",
  "since",
  "idle",
  "alive",
  "rss",
  "memoryLimit",
  "inFlight",
  "waiting",
  "retrying",
  "retries",
  "beat",
] as const;

function isId(value: unknown): boolean {
  return typeof value === "string" && value.length <= reportBytes;
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0 && (value as number) <= Number.MAX_SAFE_INTEGER;
}

/** The memory that a worker last reported, if it has a limit. */
export function reportedMemory(text: string): { readonly rss: number; readonly limit: number } | undefined {
  const { rss, memoryLimit: limit } = parseReport(text) ?? {};
  return rss === undefined || limit === undefined ? undefined : { rss, limit };
}

// A fixed length, overwritten in place: the leases stay links to the file, and a reader never finds it empty.
const reportBytes = 1024;

/** The text of a report's file. */
export function reportText(report: WorkerReport): string {
  const text = JSON.stringify(report);
  // An id of signs that JSON escapes may not fit.
  const isFitting = report.itemId === undefined || Buffer.byteLength(text) < reportBytes;
  return `${(isFitting ? text : withoutId(report)).padEnd(reportBytes - 1)}\n`;
}

function withoutId({ itemId: _itemId, ...report }: WorkerReport): string {
  return JSON.stringify(report);
}

/** The report of a worker that has just begun. */
export function firstReport(lease: Lease): WorkerReport {
  return { ...lease, shard: -1, epoch: 0, position: 0, done: 0, failed: 0, dropped: 0, itemsPerSecond: 0 };
}

/**
 * Overwrites the report in a file of a run, which makes its age 0 by the file system's clock. Returns false if the file
 * does not exist any more.
 */
export function renewReport({ root }: Pick<RunPaths, "root">, path: string, text: string): boolean {
  let fd: number;
  try {
    fd = openToRewriteInRun(root, path);
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
