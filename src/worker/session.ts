import { fileSystemOf } from "../run-folder/files/file-system.ts";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { existsSync } from "../run-folder/files/store-calls.ts";
import { openHistory } from "../run-folder/history/history.ts";
import { readGrownTtl } from "../run-folder/lease/grown-ttl.ts";
import type { Lease } from "../run-folder/lease/lease.ts";
import type { Run } from "../run-folder/run/run.ts";
import { inspectShard } from "../run-folder/shard/done.ts";
import { identify, type ProcessIdentity } from "../runtime/process-identity.ts";
import { readable } from "../text/readable.ts";
import { maxShardsOf } from "./calls/calls.ts";
import type { StartHeartbeatThread } from "./heartbeat/beat-in-thread.ts";
import { startHeartbeat } from "./heartbeat/heartbeat.ts";
import type { Watch } from "./heartbeat/heartbeat-protocol.ts";
import { isInJob } from "./job-variable.ts";
import { openProtocol } from "./lease-protocol.ts";
import { deadlineFromEnvironment, openDeadline } from "./shard/deadline.ts";
import type { WorkerContext, WorkerTask } from "./worker-context.ts";

/** The participation of this process (or thread) in a run, from joining to leaving. */
export interface Session extends WorkerContext {
  /** Leaves the run: stops the heartbeat and closes the history. */
  close(): void;
}

/** How a process takes part in a run. */
export interface SessionOptions extends Partial<Pick<WorkerContext, "firstScan" | "isTooLarge" | "onFailing">> {
  /** How many workers take part, as far as is known. Default: 1. */
  readonly workerCount?: number | undefined;
  /** Default: a new random name. */
  readonly name?: string | undefined;
  readonly watch?: Watch | undefined;
  /** Starts the heartbeat in another place than a thread of this worker. */
  readonly startHeartbeatThread?: StartHeartbeatThread | undefined;
  /** The process that started this one, and is notified when it ends. */
  readonly watcher?: ProcessIdentity | undefined;
  /** A driver runs no items and holds no lease until it merges. Default: `worker`. */
  readonly role?: "worker" | "driver" | undefined;
  /** Processes on other hosts need its heartbeats, so these begin at once. Default: true in a job. */
  readonly hasRemoteObservers?: boolean | undefined;
  /** Polled between items: whether to save and leave. */
  readonly isAskedToLeave: () => boolean;
}

/** A new name for a worker. */
export function newWorkerName(): string {
  const random = () =>
    Math.floor(Math.random() * 36 ** 6)
      .toString(36)
      .padStart(6, "0");
  return `${random()}-${random()}`;
}

/** Joins a run: opens the lease protocol and the history, and starts the heartbeat. */
export function openSession(run: Run, task: WorkerTask, options: SessionOptions): Session {
  const { paths } = run;
  const { watch, watcher, firstScan, isAskedToLeave, startHeartbeatThread, workerCount = 1 } = options;
  const { role = "worker", hasRemoteObservers = isInJob(), name = newWorkerName() } = options;
  const ttlMs = Math.max(task.options.leaseTtlMs, readGrownTtl(paths) ?? 0);
  if (watcher === undefined && ttlMs > task.options.leaseTtlMs) printGrownTtl(paths, ttlMs);
  const lease: Lease = { worker: name, role, ttlMs, watcher, ...identify() };
  const history = openHistory(paths, name);
  const isCommitted = commitCheck(run, task, firstScan);
  const protocol = openProtocol(paths, lease, { history, isCommitted });
  const heartbeat = startHeartbeat(paths, lease, {
    watch,
    hasRemoteObservers,
    workerCount,
    startHeartbeatThread,
    startsAtOnce: startsAtOnce(run, task),
    maxHeld: maxShardsOf(task),
    hasIds: run.plan.items.dataset !== undefined,
  });
  const { isTimeUp, isTimeUpFor } = openDeadline(deadlineFromEnvironment());
  const isStopping = () => heartbeat.isLeaving() || isAskedToLeave();
  return {
    run,
    task,
    member: { lease, protocol, heartbeat, history },
    firstScan,
    workerCount,
    isTooLarge: options.isTooLarge,
    onFailing: options.onFailing,
    isStopping,
    isTimeUpFor,
    isLeaving: () => isStopping() || isTimeUp(),
    onDamage: warnOnce(),
    close() {
      history.close();
      heartbeat.stop();
    },
  };
}

function printGrownTtl({ root }: RunPaths, ttlMs: number): void {
  const { type, mount } = fileSystemOf(root);
  const seconds = Math.round(ttlMs / 1000);
  process.stderr.write(
    `millrace: leases live ${seconds} s in this run: ${type} at ${mount} shows the heartbeats of other hosts late\n`,
  );
}

/** Whether a shard is published and intact. Shards that the driver has inspected are not inspected again. */
function commitCheck({ paths }: Run, { traits }: WorkerTask, firstScan: SessionOptions["firstScan"]) {
  const suspects = traits.isShardDone === undefined ? firstScan?.suspects : undefined;
  return (shard: number): boolean | Promise<boolean> => {
    if (!existsSync(paths.shard(shard))) return false;
    if (suspects !== undefined && !suspects.includes(shard)) return true;
    if (inspectShard(paths.shard(shard)).state !== "committed") return false;
    return (traits.isShardDone?.(paths.shard(shard)) as Promise<boolean> | undefined) ?? true;
  };
}

// Without a heartbeat thread, a worker that is blocked by its first item shows no progress. In a shard of thousands of
// items one item hardly takes long: there the thread starts only when the run has lasted for a while.
const itemsOfLongShard = 1000;

function startsAtOnce({ plan: { items, shardCount } }: Run, { options: { itemTimeoutMs } }: WorkerTask): boolean {
  return itemTimeoutMs !== undefined || items.count <= shardCount * itemsOfLongShard;
}

/** Prints each reason only once. */
function warnOnce(): (reason: string) => void {
  const printed = new Set<string>();
  return (reason) => {
    if (printed.has(reason)) return;
    printed.add(reason);
    process.stderr.write(`millrace: ${readable(reason)}: this shard is computed again\n`);
  };
}
