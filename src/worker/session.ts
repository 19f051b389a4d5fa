import { existsSync } from "node:fs";
import type { Plan } from "../plan/plan.ts";
import { inspectShard } from "../store/done.ts";
import type { FirstLook } from "../store/first-look.ts";
import { openHistory } from "../store/history.ts";
import type { Lease } from "../store/lease.ts";
import { identify, type ProcessIdentity } from "../store/process-identity.ts";
import type { RunPaths } from "../store/run-paths.ts";
import type { StartBeating } from "./beat-in-thread.ts";
import { openDeadline, ownDeadlineMs } from "./deadline.ts";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import type { Watch } from "./heartbeat-protocol.ts";
import { isInJob } from "./job-variable.ts";
import { openProtocol, type Protocol } from "./protocol.ts";
import type { RunnerHooks, RunnerTraits } from "./runner-hooks.ts";
import type { WorkOptions } from "./work-options.ts";
import type { WorkerJob } from "./worker-job.ts";

/** This process (or thread) at work on one run: its name, its lease protocol and its heartbeat. */
export interface Session {
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  readonly job: WorkerJob;
  /** Leaves: no heartbeat and no open file is left behind. */
  close(): void;
}

/** What a member of a run brings along. */
export interface Membership {
  readonly runner: RunnerHooks;
  readonly traits: RunnerTraits;
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  /** `maxFailures` may still be a share of the items. */
  readonly work: WorkOptions;
  /** Its name, where whoever started it has chosen one. */
  readonly name?: string | undefined;
  readonly watch?: Watch | undefined;
  /** Where its heart beats, if not in a thread of its own. */
  readonly startBeating?: StartBeating | undefined;
  /** Who has started this process, and sees it end. */
  readonly watcher?: ProcessIdentity | undefined;
  /** A driver of others runs no items and holds nothing until it merges. */
  readonly role?: "worker" | "driver" | undefined;
  /** Its workers are on other hosts, and do without it once it is gone: they must see that it is there. */
  readonly isSeenFromAfar?: boolean | undefined;
  readonly isTooLarge?: (() => boolean) | undefined;
  readonly onFailing?: ((error: unknown) => void) | undefined;
  /** What the driver has found, where there is one: then not every shard is looked at again. */
  readonly firstLook?: FirstLook | undefined;
  /** How many workers take part, as far as is known. */
  readonly company?: number | undefined;
  /** Asked now and then: whether to save and leave. */
  readonly isAskedToLeave: () => boolean;
}

/** A name for a worker that nobody else has. */
export function newWorkerName(): string {
  const random = () =>
    Math.floor(Math.random() * 36 ** 6)
      .toString(36)
      .padStart(6, "0");
  return `${random()}-${random()}`;
}

export function openSession(paths: RunPaths, plan: Plan, member: Membership): Session {
  const { traits, work, watch, watcher, role = "worker", isSeenFromAfar = isInJob(), name = newWorkerName() } = member;
  const lease: Lease = { worker: name, role, ttlMs: work.leaseTtlMs, watcher, ...identify() };
  const suspects = traits.isShardDone === undefined ? member.firstLook?.suspects : undefined;
  const history = openHistory(paths, name);
  const isCommitted = (shard: number) => {
    if (!existsSync(paths.shard(shard))) return false;
    if (suspects !== undefined && !suspects.includes(shard)) return true;
    if (inspectShard(paths.shard(shard)).state !== "committed") return false;
    return (traits.isShardDone?.(paths.shard(shard)) as Promise<boolean> | undefined) ?? true;
  };
  const protocol = openProtocol(paths, lease, { history, isCommitted });
  const { company = 1, startBeating } = member;
  const heartbeat = startHeartbeat(paths, lease, {
    watch,
    isSeenFromAfar,
    company,
    startBeating,
    isUrgent: isUrgent(plan, work),
  });
  return {
    protocol,
    heartbeat,
    job: openJob(plan, member, { protocol, heartbeat }),
    close() {
      history.close();
      heartbeat.stop();
    },
  };
}

// Without its thread a worker that is blocked by its very first item shows no progress. Where shards hold thousands of
// items, one of them will hardly take long, and the thread can wait until it is known that the run does.
const itemsOfLongShard = 1000;

function isUrgent({ items, shardCount }: Plan, { itemTimeoutMs }: WorkOptions): boolean {
  return itemTimeoutMs !== undefined || items.count <= shardCount * itemsOfLongShard;
}

function openJob(plan: Plan, member: Membership, own: Pick<Session, "protocol" | "heartbeat">): WorkerJob {
  const {
    runner,
    traits,
    buildEnv,
    teardown,
    work,
    isAskedToLeave,
    isTooLarge,
    onFailing,
    firstLook,
    company = 1,
  } = member;
  const told = new Set<string>();
  const isTimeUp = openDeadline(ownDeadlineMs());
  return {
    ...own,
    plan,
    runner,
    traits,
    buildEnv,
    teardown,
    isTooLarge,
    onFailing,
    firstLook,
    company,
    options: { ...work, maxFailures: failuresAllowed(work.maxFailures, plan.items.count) },
    isLeaving: () => own.heartbeat.isLeaving() || isAskedToLeave() || isTimeUp(),
    onDamage(reason) {
      if (told.has(reason)) return;
      told.add(reason);
      process.stderr.write(`millrace: ${reason}: this shard is computed again\n`);
    },
  };
}

// Below 1 it is a share of the items.
function failuresAllowed(maxFailures: number, items: number): number {
  return maxFailures > 0 && maxFailures < 1 ? Math.floor(maxFailures * items) : maxFailures;
}
