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

/** Whether events come in. */
export type Link = "connecting" | "live" | "lost";

/** What a stream of events tells. */
export interface StreamListener {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly update: (update: Update) => void;
  readonly link: (link: Link, why?: string) => void;
}

/** Where pages have their data from: a server, or the report that they are a part of. */
export interface RunSource {
  /** Something can change, and be changed. */
  readonly isLive: boolean;
  /** How many failures can be looked at, where not all of them can. */
  readonly keptFailures: number | undefined;
  runs(): Promise<readonly RunCard[]>;
  /** Answers how to stop. */
  watch(id: string, listener: StreamListener): () => void;
  failures(id: string, offset: number, limit: number): Promise<FailurePage>;
  logs(id: string): Promise<readonly LogEntry[]>;
  log(id: string, name: string, from: number): Promise<LogPiece>;
  plan(id: string): Promise<PlanView>;
  /** Undefined where nobody can look at a shard any more. */
  shard(id: string, shard: number): Promise<ShardView | undefined>;
  act(id: string, action: RunAction): Promise<ActionAnswer>;
}
