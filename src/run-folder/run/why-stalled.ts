import { formatDuration } from "../../text/format-duration.ts";
import type { WorkerReport } from "../files/worker-report.ts";
import { ttlBeforeHeartbeatMs } from "../lease/lease.ts";

/** A worker's or a driver's report, and how long ago its last heartbeat was. */
interface SeenReport {
  readonly report: WorkerReport;
  readonly ageMs: number;
}

/** The reports of a run: of those that are alive, and of those that are silent for longer than a lease and not known to be dead. */
interface SeenReports {
  readonly live: readonly SeenReport[];
  readonly silent: readonly SeenReport[];
}

// No item for this long is unusual where items take seconds; where they take longer, many times their usual time is.
const idleMs = 5 * 60_000;
const usualTimes = 20;
// Before the first item nothing is known of how long one takes.
const firstIdleMs = 30 * 60_000;

/** Why a run with live processes makes no progress, in words. Undefined if one worker does, or where it cannot be known. */
export function whyStalled({ live, silent }: SeenReports): string | undefined {
  if (live.length === 0) return undefined;
  const workers = live.filter(isWorker);
  // Without a live worker, only one that hangs is a reason: the driver may be starting some, or merging.
  if (workers.length === 0) return longest(silent.filter(isWorker).map(describeSilence));
  const reasons = workers.map((one) => (isLate(one) ? describeSilence(one) : whyIdle(one.report)));
  return longest(reasons.filter((reason) => reason !== undefined).length === workers.length ? reasons : []);
}

interface Reason {
  readonly text: string;
  readonly ms: number;
}

function isWorker({ report }: SeenReport): boolean {
  return report.role !== "driver";
}

/** A heartbeat comes several times within the life of a lease. */
function isLate({ report: { ttlMs }, ageMs }: SeenReport): boolean {
  return ttlMs < ttlBeforeHeartbeatMs && ageMs > ttlMs / 2;
}

function describeSilence({ report: { worker }, ageMs }: SeenReport): Reason {
  return { text: `worker ${worker} gives no sign of life for ${formatDuration(ageMs / 1000)}`, ms: ageMs };
}

function whyIdle({ worker, done, idle, alive }: WorkerReport): Reason | undefined {
  if (idle === undefined || alive === undefined) return undefined;
  const limitMs = done === 0 ? firstIdleMs : Math.max(idleMs, (usualTimes * (alive - idle)) / done);
  if (idle < limitMs) return undefined;
  return { text: `no item has ended for ${formatDuration(idle / 1000)} (worker ${worker})`, ms: idle };
}

function longest(reasons: readonly (Reason | undefined)[]): string | undefined {
  return reasons.reduce((most, one) => ((one?.ms ?? -1) > (most?.ms ?? -1) ? one : most), undefined)?.text;
}
