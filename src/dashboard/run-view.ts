import type { AttemptRecord } from "../run-folder/history/history.ts";
import type { JobQueueStatus } from "../run-folder/jobs/job-queue-status.ts";
import type { CallCounts } from "../run-folder/run/call-counts.ts";
import type { RunFailure } from "../run-folder/run/last-failure.ts";
import type { RunStatus } from "../run-folder/run/run-status.ts";

// The protocol between the dashboard's server and its pages. All of it is JSON.

/** One run in the list of runs below the served folder. */
export interface RunCard {
  /** The id of the run in URLs; derived from its path below the served folder. */
  readonly id: string;
  /** The folder, relative to the served one; "." for itself. */
  readonly folder: string;
  readonly state: RunStatus["state"] | "unreadable";
  /** The reason if it is unreadable or failed. */
  readonly error?: string;
  readonly items?: RunStatus["items"];
}

/** The state of a shard as one letter: the map of all shards is one string, with one letter per shard number. */
export type ShardLetter =
  | "." // not begun
  | "r" // in progress
  | "w" // was in progress, waits for the next attempt (it has a fenced one)
  | "c" // committed
  | "f" // committed, with failed items
  | "d"; // damaged

/** A worker as a page shows it. */
export interface WorkerView {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  readonly shard: number | null;
  /** Number of items of that shard that are done, and their total. */
  readonly position: number;
  readonly shardItems: number;
  readonly itemsPerSecond: number;
  /** Memory of its process in bytes; null if unknown. */
  readonly rss: number | null;
  /** Its calls of `forward`; absent if it makes them one after another. */
  readonly calls?: CallCounts;
  /** Milliseconds since its last heartbeat. */
  readonly heartbeatAgeMs: number;
}

/** The summary of a run; sent completely at every refresh. */
export interface Overview {
  readonly runDir: string;
  readonly state: RunStatus["state"];
  /** The error that ended the last start. */
  readonly failure: RunFailure | null;
  /** Why it is stalled; absent in every other state. */
  readonly stalled?: string;
  /** A stop was requested: at once, or after the current shards. */
  readonly stopping: "cancel" | "drain" | null;
  readonly items: RunStatus["items"];
  readonly shards: RunStatus["shards"];
  readonly itemsPerSecond: number;
  readonly etaSeconds: number | null;
  /** The calls of all workers; absent if each makes one after another. */
  readonly calls?: CallCounts;
  readonly jobs: JobQueueStatus | null;
  /** Records of jobs that are not believed or not asked for, and why. */
  readonly jobProblems?: readonly string[];
  readonly workers: readonly WorkerView[];
  /** Start, and end of the last attempt; milliseconds since 1970, by the clocks of the writers. */
  readonly began: number | null;
  readonly ended: number | null;
}

/**
 * One attempt at a shard or the merge that has ended, from the history. Current attempts are in the list of workers.
 */
export type AttemptView = Omit<AttemptRecord, "counts">;

/** Items per second in a time span. */
export interface RatePoint {
  readonly at: number;
  readonly itemsPerSecond: number;
}

/** The event `snapshot`: the first of every stream, and whenever a stream restarts. */
export interface Snapshot {
  readonly overview: Overview;
  /** One ShardLetter per shard. */
  readonly shards: string;
  /** The newest ones, at most `maxAttempts`; `attemptsLeftOut` older ones are not sent. */
  readonly attempts: readonly AttemptView[];
  readonly attemptsLeftOut: number;
  readonly rates: readonly RatePoint[];
}

/** The event `update`: the changes since the previous event. */
export interface Update {
  readonly overview: Overview;
  readonly shards: readonly (readonly [shard: number, letter: ShardLetter])[];
  readonly attempts: readonly AttemptView[];
  readonly rates: readonly RatePoint[];
}

export const maxAttempts = 5000;

/** A failed item as a page shows it. */
export interface FailureView {
  readonly item: number;
  /** The item's id, if the run is over a dataset with ids. */
  readonly id?: string;
  readonly shard: number;
  readonly attempt: number;
  readonly tries: number;
  readonly error: { readonly name: string; readonly code?: string; readonly message: string; readonly stack?: string };
}

/** A page of failures. */
export interface FailurePage {
  readonly total: number;
  readonly offset: number;
  readonly failures: readonly FailureView[];
  /** The command that runs all of them again. */
  readonly retryCommand: string;
}

/** A log in the run folder. */
export interface LogEntry {
  readonly name: string;
  readonly bytes: number;
}

/** A piece of a log. */
export interface LogPiece {
  readonly text: string;
  /** The offset of this piece and of the next one. */
  readonly from: number;
  readonly next: number;
  readonly bytes: number;
}

/** The plan, and how the run is carried out. */
export interface PlanView {
  readonly items: number;
  readonly shards: number;
  readonly smallestShard: number;
  readonly largestShard: number;
  readonly runner: string;
  readonly provider: string;
  readonly cwd: string;
  /** YAML, as a user would write it. */
  readonly config: string;
  readonly params: string;
  readonly options: string;
  readonly parallel: string;
}

/** Details of one shard. */
export interface ShardView {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
  readonly letter: ShardLetter;
  readonly worker: string | null;
  readonly attempt: number | null;
  readonly counts: {
    readonly items: number;
    readonly written: number;
    readonly dropped: number;
    readonly failed: number;
  } | null;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** The actions that a page can request: POST /api/runs/ID/ACTION. */
export type RunAction = "cancel" | "drain" | "retry";

/** The result of an action. */
export interface ActionAnswer {
  readonly ok: boolean;
  readonly message: string;
}

/** The body of an error response; its status is 400 or above. */
export interface ApiError {
  readonly error: string;
}

/** The header that a POST must have besides `content-type: application/json`; pages of other sites cannot send it. */
export const postHeaders = { "content-type": "application/json", "x-millrace": "1" } as const;

/** All URLs of the server. */
export const addresses = {
  runs: "/api/runs",
  stream: (id: string): string => `/api/runs/${encodeURIComponent(id)}/events`,
  failures: (id: string, offset: number, limit: number): string =>
    `/api/runs/${encodeURIComponent(id)}/failures?offset=${offset}&limit=${limit}`,
  logs: (id: string): string => `/api/runs/${encodeURIComponent(id)}/logs`,
  /** A negative `from` is relative to the end of the log. */
  log: (id: string, name: string, from: number): string =>
    `/api/runs/${encodeURIComponent(id)}/logs/${encodeURIComponent(name)}?from=${from}`,
  plan: (id: string): string => `/api/runs/${encodeURIComponent(id)}/plan`,
  shard: (id: string, shard: number): string => `/api/runs/${encodeURIComponent(id)}/shards/${shard}`,
  act: (id: string, action: RunAction): string => `/api/runs/${encodeURIComponent(id)}/${action}`,
} as const;

/** All data of a run, as `millrace report` puts it into its page. */
export interface ReportData {
  readonly card: RunCard;
  readonly madeAt: number;
  readonly version: string;
  readonly snapshot: Snapshot;
  readonly failures: FailurePage;
  readonly plan: PlanView;
  readonly logs: readonly { readonly name: string; readonly text: string; readonly bytes: number }[];
}
