import type { PackedError } from "../errors/pack-error.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { CurrentWorker } from "../runtime/current-worker.ts";
import type { HeartbeatData } from "./heartbeat/heartbeat-protocol.ts";

/** What a worker gets when it is started. Everything else it reads from the run folder. */
export interface WorkerStart {
  readonly runDir: string;
  readonly name: string;
}

/** What a thread gets in addition; a process has environment variables for it. */
export interface ThreadStart extends WorkerStart {
  readonly current: CurrentWorker;
}

/** What a launcher sends to a worker that it has started. */
export type WorkerRequest =
  /** The run is prepared. */
  | { readonly kind: "begin" }
  /** Save, release the shard and end. */
  | { readonly kind: "leave" }
  /** The worker process received a signal that asks it to leave. It sends this to itself. */
  | { readonly kind: "signalled" };

/**
 * How a worker ended by itself. `recycled`: another worker takes its place, because its memory grew beyond `maxRss` or it
 * received a signal that its launcher did not send.
 */
export type JoinOutcome = "complete" | "left" | "recycled";

/** What a worker sends to the launcher that started it. */
export type WorkerResponse =
  /** Its env is built. */
  | { readonly kind: "ready" }
  /** It received a signal that asks it to leave; the user's code may handle that signal too. */
  | { readonly kind: "warned" }
  /** `committed` saves the driver from inspecting these shards. */
  | { readonly kind: "end"; readonly outcome: JoinOutcome; readonly committed: readonly KnownShard[] }
  /** It is about to fail. If no `failed` follows, this was the reason. */
  | { readonly kind: "failing"; readonly error: PackedError }
  | { readonly kind: "failed"; readonly error: PackedError }
  /** An uncaught error; the worker ends right after it. */
  | { readonly kind: "uncaught"; readonly message: string }
  /** A thread printed this. A process prints to its pipes. */
  | { readonly kind: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  /** The launcher's thread runs the heartbeat of a worker thread, until the second of these. */
  | { readonly kind: "start heartbeat"; readonly data: HeartbeatData }
  | { readonly kind: "stop heartbeat" };
