import type { PackedError } from "../errors/pack-error.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { CurrentWorker } from "../runtime/current-worker.ts";
import type { HeartbeatData } from "./heartbeat/heartbeat-protocol.ts";

/** The data with which a worker is started. Everything else it reads from the run folder. */
export interface WorkerStart {
  readonly runDir: string;
  readonly name: string;
}

/** The data for a thread. A process gets the same in environment variables. */
export interface ThreadStart extends WorkerStart {
  readonly current: CurrentWorker;
}

/** What a launcher sends to a worker that it has started. */
export type WorkerRequest =
  /** The run is prepared. */
  | { readonly kind: "begin" }
  /** The worker must save, release its shard and end. */
  | { readonly kind: "leave" }
  /** The worker process received a signal that asks it to leave. It sends this to itself. */
  | { readonly kind: "signalled" };

/**
 * How a worker ended that was not killed. `recycled`: another worker replaces it, because its memory grew beyond
 * `maxRss` or it received a signal that its launcher did not send.
 */
export type JoinOutcome = "complete" | "left" | "recycled";

/** What a worker sends to the launcher that started it. */
export type WorkerResponse =
  /** The env of the worker is built. */
  | { readonly kind: "ready" }
  /** It received a signal that asks it to leave. The user's code may handle the signal too. */
  | { readonly kind: "warned" }
  /** It has ended. The driver need not inspect the shards in `committed`. */
  | { readonly kind: "end"; readonly outcome: JoinOutcome; readonly committed: readonly KnownShard[] }
  /** It is about to fail with this error. Sent before teardown, which may end the process. */
  | { readonly kind: "failing"; readonly error: PackedError }
  | { readonly kind: "failed"; readonly error: PackedError }
  /** An uncaught error; the worker ends right after it. */
  | { readonly kind: "uncaught"; readonly message: string }
  /** A thread printed this. A process prints to its pipes. */
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  /** The launcher's thread runs the heartbeat of a worker thread, until the second of these. */
  | { readonly kind: "start heartbeat"; readonly data: HeartbeatData }
  | { readonly kind: "stop heartbeat" };
