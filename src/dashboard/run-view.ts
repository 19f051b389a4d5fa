import type { AttemptRecord } from "../store/history.ts";
import type { JobSight } from "../store/job-sight.ts";
import type { RunFailure } from "../store/last-failure.ts";
import type { RunStatus } from "../store/run-status.ts";

// What the server of the dashboard says and its pages read; nothing else passes between them. All of it is JSON.

/** One run in the list of those below the folder that is shown. */
export interface RunCard {
  /** Names the run in addresses; made from its folder's place below the one that is shown. */
  readonly id: string;
  /** The folder, relative to the one that is shown; "." for itself. */
  readonly folder: string;
  readonly state: RunStatus["state"] | "unreadable";
  /** Why, where it is unreadable or failed. */
  readonly error?: string;
  readonly items?: RunStatus["items"];
}

/** What a shard is, as one letter: the map of all of them is one string, position by number. */
export type ShardLetter =
  | "." // nobody has begun
  | "r" // in work
  | "w" // was in work, waits for the next attempt (it has a fenced one)
  | "c" // committed
  | "f" // committed, with failed items
  | "d"; // damaged

/** A worker as a page shows it. */
export interface WorkerView {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  readonly shard: number | null;
  /** Items of that shard that are done, of how many. */
  readonly position: number;
  readonly shardItems: number;
  readonly itemsPerSecond: number;
  /** Bytes of memory its process holds; null where it is not known. */
  readonly rss: number | null;
  /** Milliseconds since its last sign of life. */
  readonly heartbeatAgeMs: number;
}

/** Everything of a run that fits on a few lines; sent whole at every refresh. */
export interface Overview {
  readonly runDir: string;
  readonly state: RunStatus["state"];
  /** The error that ended the last start. */
  readonly failure: RunFailure | null;
  /** Asked to stop: at once, or when the shards in work are done. */
  readonly stopping: "cancel" | "drain" | null;
  readonly items: RunStatus["items"];
  readonly shards: RunStatus["shards"];
  readonly itemsPerSecond: number;
  readonly etaSeconds: number | null;
  readonly jobs: JobSight | null;
  readonly workers: readonly WorkerView[];
  /** When it began and when its last attempt ended; milliseconds since 1970, by the clocks of those who wrote them. */
  readonly began: number | null;
  readonly ended: number | null;
}

/** One attempt at a shard, or at the merge, that has ended, as the history tells; those in work are in the list of workers. */
export type AttemptView = Omit<AttemptRecord, "counts">;

/** Items done per second over a span of time. */
export interface RatePoint {
  readonly at: number;
  readonly itemsPerSecond: number;
}

/** The event `snapshot`: the first of every stream, and whenever a stream has to begin anew. */
export interface Snapshot {
  readonly overview: Overview;
  /** One ShardLetter a shard. */
  readonly shards: string;
  /** The newest ones, at most `mostAttempts`; `attemptsLeftOut` older ones are not sent. */
  readonly attempts: readonly AttemptView[];
  readonly attemptsLeftOut: number;
  readonly rates: readonly RatePoint[];
}

/** The event `update`: what is new since the event before. */
export interface Update {
  readonly overview: Overview;
  readonly shards: readonly (readonly [shard: number, letter: ShardLetter])[];
  readonly attempts: readonly AttemptView[];
  readonly rates: readonly RatePoint[];
}

export const mostAttempts = 5000;

/** A failed item as a page shows it. */
export interface FailureView {
  readonly item: number;
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
  /** Where this piece began and where the next one begins. */
  readonly from: number;
  readonly next: number;
  readonly bytes: number;
}

/** The plan and how the run is carried out. */
export interface PlanView {
  readonly items: number;
  readonly shards: number;
  readonly smallestShard: number;
  readonly largestShard: number;
  readonly runner: string;
  readonly provider: string;
  readonly cwd: string;
  /** As YAML, as a user would write it. */
  readonly config: string;
  readonly params: string;
  readonly options: string;
  readonly parallel: string;
}

/** One shard looked at closely. */
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

/** What a page may ask for: POST /api/runs/ID/ACTION. */
export type RunAction = "cancel" | "drain" | "retry";

/** What became of it. */
export interface ActionAnswer {
  readonly ok: boolean;
  readonly message: string;
}

/** What the server answers where it cannot do what was asked; its status is 400 or above. */
export interface ApiError {
  readonly error: string;
}

/** What a POST must bring along besides `content-type: application/json`; pages of other sites cannot send it. */
export const postHeaders = { "content-type": "application/json", "x-millrace": "1" } as const;

/** Every address of the server. */
export const addresses = {
  runs: "/api/runs",
  stream: (id: string): string => `/api/runs/${encodeURIComponent(id)}/events`,
  failures: (id: string, offset: number, limit: number): string =>
    `/api/runs/${encodeURIComponent(id)}/failures?offset=${offset}&limit=${limit}`,
  logs: (id: string): string => `/api/runs/${encodeURIComponent(id)}/logs`,
  /** A negative `from` counts from the end of the log. */
  log: (id: string, name: string, from: number): string =>
    `/api/runs/${encodeURIComponent(id)}/logs/${encodeURIComponent(name)}?from=${from}`,
  plan: (id: string): string => `/api/runs/${encodeURIComponent(id)}/plan`,
  shard: (id: string, shard: number): string => `/api/runs/${encodeURIComponent(id)}/shards/${shard}`,
  act: (id: string, action: RunAction): string => `/api/runs/${encodeURIComponent(id)}/${action}`,
} as const;

/** Everything of a run at once, as `millrace report` puts it into its page. */
export interface ReportData {
  readonly card: RunCard;
  readonly madeAt: number;
  readonly version: string;
  readonly snapshot: Snapshot;
  readonly failures: FailurePage;
  readonly plan: PlanView;
  readonly logs: readonly { readonly name: string; readonly text: string; readonly bytes: number }[];
}
