import type {
  ActionAnswer,
  FailurePage,
  LogEntry,
  LogPiece,
  PlanView,
  RunAction,
  RunCard,
  ShardView,
  Snapshot,
  Update,
} from "../../../src/dashboard/run-view.ts";

/** Whether events are received. */
export type Link = "connecting" | "live" | "lost";

/** The events of a stream. */
export interface StreamListener {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly update: (update: Update) => void;
  readonly link: (link: Link, why?: string) => void;
}

/** The data source of pages: a server, or the report that contains them. */
export interface RunSource {
  /** Whether the data can change, and actions are possible. */
  readonly isLive: boolean;
  /** The number of failures that are available, if not all are. */
  readonly keptFailures: number | undefined;
  runs(): Promise<readonly RunCard[]>;
  /** Returns a function that stops it. */
  watch(id: string, listener: StreamListener): () => void;
  failures(id: string, offset: number, limit: number): Promise<FailurePage>;
  logs(id: string): Promise<readonly LogEntry[]>;
  log(id: string, name: string, from: number): Promise<LogPiece>;
  plan(id: string): Promise<PlanView>;
  /** Undefined if shards cannot be inspected any more. */
  shard(id: string, shard: number): Promise<ShardView | undefined>;
  act(id: string, action: RunAction): Promise<ActionAnswer>;
}
