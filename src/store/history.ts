import { closeSync, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import type { ShardCounts } from "./done.ts";
import { isMissing } from "./durable-files.ts";
import type { RunPaths, Unit } from "./run-paths.ts";

/** What became of one attempt at a unit: one line of a worker's history. */
export interface AttemptRecord {
  readonly unit: Unit;
  readonly attempt: number;
  readonly worker: string;
  readonly host: string;
  /** Milliseconds since 1970, by the clock of whoever wrote the line. */
  readonly began: number;
  readonly ended: number;
  /** `lost`: its worker died or was silent for too long; `released`: given back; `failed`: an error ended it. */
  readonly outcome: "committed" | "released" | "failed" | "lost";
  /** Items done by this attempt itself, and how many of them failed. */
  readonly items: number;
  readonly failed: number;
  readonly reason?: string | undefined;
  /** All that the shard held then, where it was committed: a reader of the history need not look into it. */
  readonly counts?: ShardCounts | undefined;
}

/** Where a worker writes down how its attempts ended. */
export interface History {
  add(record: AttemptRecord): void;
  /** Writes what is waiting. */
  flush(): void;
  close(): void;
}

const mostReason = 500;
// Where shards take less than this, several share a write: one for each would cost a hundredth of their time.
const quickMs = 20;

/**
 * Opens the history of a worker. It is there to be looked at: a run never depends on it, waits for it or fails because
 * of it. The file appears with the first attempt that has ended.
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
        // Whoever wrote there before may have been killed in the middle of a line.
        if (fstatSync(fd).size > 0) waiting = `\n${waiting}`;
      }
      writeSync(fd, waiting);
    } catch {
      // On a full disk, say. What is shown later lacks these lines.
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

/** Put together by hand for the usual attempt: of quick shards there are thousands a second. */
function lineOf(record: AttemptRecord): string {
  const { counts } = record;
  if (record.reason !== undefined || counts === undefined || record.unit === "merge")
    return `${JSON.stringify(record)}\n`;
  if (record.worker !== lastWorker || record.host !== lastHost) {
    lastWorker = record.worker;
    lastHost = record.host;
    lastWho = `"worker":${JSON.stringify(lastWorker)},"host":${JSON.stringify(lastHost)}`;
  }
  return `{"unit":${record.unit},"attempt":${record.attempt},${lastWho},"began":${record.began},"ended":${record.ended},"outcome":"${record.outcome}","items":${record.items},"failed":${record.failed},"counts":{"items":${counts.items},"written":${counts.written},"dropped":${counts.dropped},"failed":${counts.failed}}}\n`;
}

// The same in every line of a worker.
let lastWorker: string | undefined;
let lastHost: string | undefined;
let lastWho = "";

function openToAppend(paths: RunPaths, worker: string): number {
  const path = paths.history(worker);
  try {
    return openSync(path, "a");
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(paths.historyFolder, { recursive: true });
    return openSync(path, "a");
  }
}

/** A reason as it is kept: the first line of a message, not too long. */
export function shortReason(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return line.length <= mostReason ? line : `${line.slice(0, mostReason)}…`;
}

/** The record in a line, or undefined where it is torn. */
export function parseAttempt(line: string): AttemptRecord | undefined {
  try {
    const record = JSON.parse(line) as Partial<AttemptRecord> | null;
    const isWhole =
      (typeof record?.unit === "number" || record?.unit === "merge") &&
      typeof record.attempt === "number" &&
      typeof record.worker === "string" &&
      typeof record.began === "number" &&
      typeof record.ended === "number" &&
      typeof record.outcome === "string";
    return isWhole ? (record as AttemptRecord) : undefined;
  } catch {
    return undefined;
  }
}
