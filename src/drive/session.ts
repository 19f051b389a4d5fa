import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Plan } from "../plan/plan.ts";
import { inspectShard } from "../store/done.ts";
import type { Lease } from "../store/lease.ts";
import { thisProcess } from "../store/process-identity.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { type Heartbeat, startHeartbeat } from "../worker/heartbeat.ts";
import { openProtocol, type Protocol } from "../worker/protocol.ts";
import type { WorkerJob } from "../worker/run-worker.ts";
import type { RunRequest } from "./run-request.ts";

/** This process at work on one run: its name, its lease protocol and its heartbeat. */
export interface Session {
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  readonly job: WorkerJob;
}

export function openSession(paths: RunPaths, plan: Plan, request: RunRequest<unknown>): Session {
  const lease: Lease = { worker: randomUUID().slice(0, 13), ttlMs: request.work.leaseTtlMs, ...thisProcess() };
  const { traits } = request;
  const protocol = openProtocol(paths, lease, (shard) => {
    if (!existsSync(paths.shard(shard)) || inspectShard(paths.shard(shard)).state !== "committed") return false;
    return (traits.isShardDone?.(paths.shard(shard)) as Promise<boolean> | undefined) ?? true;
  });
  const heartbeat = startHeartbeat(paths, lease);
  return { protocol, heartbeat, job: openJob(plan, request, { protocol, heartbeat }) };
}

function openJob(plan: Plan, request: RunRequest<unknown>, own: Pick<Session, "protocol" | "heartbeat">): WorkerJob {
  const { runner, traits, buildEnv, teardown, signal, work } = request;
  const told = new Set<string>();
  return {
    ...own,
    plan,
    runner,
    traits,
    buildEnv,
    teardown,
    options: { ...work, maxFailures: failuresAllowed(work.maxFailures, plan.items.count) },
    isLeaving: () => signal?.aborted ?? false,
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
