import type { PackedError } from "../shared/pack-error.ts";
import type { KnownShard } from "../store/known-shard.ts";
import type { HeartbeatData } from "./heartbeat-protocol.ts";

/**
 * How a worker ended by itself. `recycled`: another one is to take its place, because its memory grew beyond `maxRss` or
 * somebody sent it, and not its launcher, a signal.
 */
export type JoinOutcome = "complete" | "left" | "recycled";

/** What a worker tells the launcher that started it. What it knows of the shards saves the driver a look at each. */
export type WorkerMessage =
  | { readonly say: "ready" }
  /** It was sent a signal that asks it to leave; what the user's code makes of that is not known. */
  | { readonly say: "warned" }
  | { readonly say: "end"; readonly outcome: JoinOutcome; readonly committed: readonly KnownShard[] }
  /** It is about to fail; should it not come to say so, this was the reason. */
  | { readonly say: "failing"; readonly error: PackedError }
  | { readonly say: "failed"; readonly error: PackedError }
  /** An error that nobody caught; the worker ends right after. */
  | { readonly say: "uncaught"; readonly message: string };

/** What a worker thread sends besides: what it prints, and that its launcher's thread is to start or stop its heartbeat. */
export type ThreadMessage =
  | WorkerMessage
  | { readonly say: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly say: "beat"; readonly data: HeartbeatData }
  | { readonly say: "stop beating" };

/** What a launcher asks of a worker: to begin, once the run is prepared; to save and leave. */
export const beginOrder = "begin";
export const leaveOrder = "leave";
/** What a worker process tells itself when it was sent a signal. */
export const warnedOrder = "warned";

/** What a worker is told when it is started. Everything else it reads from the run folder. */
export interface WorkerStart {
  readonly runDir: string;
  readonly name: string;
}
