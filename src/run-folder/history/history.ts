import { fstatSync, writeSync } from "node:fs";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { makeFolderInRun, openToAppendInRun } from "../files/run-files.ts";
import type { Claimable, RunPaths } from "../files/run-paths.ts";
import { closeSync } from "../files/store-calls.ts";
import { isMissing } from "../files/store-trouble.ts";
import { isShardCounts, type ShardCounts } from "../shard/done.ts";

/** The record of one attempt that has ended: one line of a worker's history. */
export interface AttemptRecord {
  readonly unit: Claimable;
  readonly attempt: number;
  readonly worker: string;
  readonly host: string;
  /** Milliseconds since 1970, by the clock of the host that wrote the line. */
  readonly began: number;
  readonly ended: number;
  /**
   * `lost`: its worker died, or sent no heartbeat for too long; `released`: its worker left; `failed`: an error ended
   * it.
   */
  readonly outcome: "committed" | "released" | "failed" | "lost";
  /** Items done by this attempt itself, and how many of them failed. */
  readonly items: number;
  readonly failed: number;
  readonly reason?: string | undefined;
  /** The counts of the whole shard, if it was committed: displays need not open it. */
  readonly counts?: ShardCounts | undefined;
}

/** The history of a worker's attempts. */
export interface History {
  add(record: AttemptRecord): void;
  /** Writes the records that are buffered. */
  flush(): void;
  close(): void;
}

const maxReasonLength = 500;
// Records of shards that take less than this are written together: a write for each would take 1 % of their time.
const quickMs = 20;

/**
 * Opens the history of a worker. Only displays read it: a run does not depend on it, and errors in it are ignored. The
 * file appears with the first attempt that has ended.
 */
export function openHistory(paths: RunPaths, worker: string): History {
  let fd: number | undefined;
  let isUsable = true;
  let waiting = "";
  let lastWrite = 0;
  const flush = () => {
    if (waiting === "") return;
    try {
      if (fd === undefined) {
        fd = openToAppend(paths, worker);
        // An earlier writer may have been killed in the middle of a line.
        if (fstatSync(fd).size > 0) waiting = `\n${waiting}`;
      }
      writeSync(fd, waiting);
    } catch {
      // On a full disk, for example. Displays then lack these lines.
      isUsable = false;
    }
    waiting = "";
  };
  return {
    flush,
    add(record) {
      if (!isUsable) return;
      waiting += lineOf(record);
      const { began, ended } = record;
      if (ended - began < quickMs && Math.abs(ended - lastWrite) < quickMs) return;
      lastWrite = ended;
      flush();
    },
    close() {
      flush();
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      isUsable = false;
    },
  };
}

/** Without JSON.stringify for the usual record: there may be thousands of quick shards a second. */
function lineOf(record: AttemptRecord): string {
  const { counts } = record;
  if (record.reason !== undefined || counts === undefined || record.unit === "merge")
    return `${JSON.stringify(record)}\n`;
  if (record.worker !== lastWorker || record.host !== lastHost) {
    lastWorker = record.worker;
    lastHost = record.host;
    lastWorkerFields = `"worker":${JSON.stringify(lastWorker)},"host":${JSON.stringify(lastHost)}`;
  }
  return `{"unit":${record.unit},"attempt":${record.attempt},${lastWorkerFields},"began":${record.began},"ended":${record.ended},"outcome":"${record.outcome}","items":${record.items},"failed":${record.failed},"counts":{"items":${counts.items},"written":${counts.written},"dropped":${counts.dropped},"failed":${counts.failed}}}\n`;
}

// The same in every line of a worker.
let lastWorker: string | undefined;
let lastHost: string | undefined;
let lastWorkerFields = "";

function openToAppend(paths: RunPaths, worker: string): number {
  const path = paths.history(worker);
  try {
    return openToAppendInRun(paths.root, path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeFolderInRun(paths.root, paths.historyFolder);
    return openToAppendInRun(paths.root, path);
  }
}

/** The first line of a message, shortened to a limit. */
export function shortReason(message: string): string {
  const [line = ""] = maskSecrets(message).split("\n", 1);
  return line.length <= maxReasonLength ? line : `${line.slice(0, maxReasonLength)}…`;
}

/** The record in a line, or undefined if the line is incomplete. */
export function parseAttempt(line: string): AttemptRecord | undefined {
  try {
    const record = JSON.parse(line) as Partial<AttemptRecord> | null;
    const isWhole =
      (typeof record?.unit === "number" || record?.unit === "merge") &&
      typeof record.attempt === "number" &&
      typeof record.worker === "string" &&
      typeof record.began === "number" &&
      typeof record.ended === "number" &&
      typeof record.outcome === "string" &&
      [record.host, record.reason].every((text) => text === undefined || typeof text === "string") &&
      [record.items, record.failed].every((count) => count === undefined || typeof count === "number") &&
      (record.counts === undefined || isShardCounts(record.counts));
    return isWhole ? (record as AttemptRecord) : undefined;
  } catch {
    return undefined;
  }
}
