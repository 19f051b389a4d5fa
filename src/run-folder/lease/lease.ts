import type { FileSnapshot } from "./file-step.ts";
import { isKnownDead, type ProcessIdentity } from "./process-identity.ts";

/** A worker's temporary right to one attempt. Writing its file again renews it: only the age of the file counts. */
export interface Lease extends ProcessIdentity {
  readonly worker: string;
  /** A driver runs no items itself, but has a report too. */
  readonly role?: "worker" | "driver" | undefined;
  readonly ttlMs: number;
  /**
   * The process that started the worker and is notified when it ends. While the watcher is alive, only it releases the
   * leases of a dead worker.
   */
  readonly watcher?: ProcessIdentity | undefined;
}

/** How long a worker without heartbeat keeps its attempt. Correctness does not depend on it: a late commit fails. */
export const defaultLeaseTtlMs = 15_000;
const ttlMsPerWorker = 30;

/**
 * The TTL of a lease until the worker's heartbeat thread runs: the first item may block the worker before the thread
 * starts. It matters for other hosts; on the same host a dead process is noticed without it.
 */
export const ttlBeforeHeartbeatMs = 3_600_000;

/** The default TTL of a lease: longer with many workers, which renew their leases less often. */
export function leaseTtlMsFor(workers: number): number {
  return Math.max(defaultLeaseTtlMs, ttlMsPerWorker * workers);
}

const hostNames = new Map<string, string>();

/** The host name of a process, without boot id and namespace. */
export function hostNameOf({ host }: ProcessIdentity): string {
  const known = hostNames.get(host);
  if (known !== undefined) return known;
  const [name = ""] = host.split("|", 1);
  if (hostNames.size < 1000) hostNames.set(host, name);
  return name;
}

/** The lease in a file's text, or undefined if it is incomplete or missing. */
export function parseLease(text: string): Lease | undefined {
  try {
    const lease = JSON.parse(text) as Partial<Lease>;
    const isWhole =
      typeof lease.worker === "string" &&
      isIdentity(lease) &&
      typeof lease.ttlMs === "number" &&
      (lease.watcher === undefined || isIdentity(lease.watcher));
    return isWhole ? (lease as Lease) : undefined;
  } catch {
    return undefined;
  }
}

function isIdentity(value: Partial<ProcessIdentity> | null): boolean {
  return (
    typeof value?.host === "string" &&
    Number.isSafeInteger(value.pid) &&
    value.pid! >= 0 &&
    typeof value.began === "string"
  );
}

export interface HolderCheck {
  /** The TTL of a lease whose text is incomplete or not written yet. */
  readonly ttlMs: number;
  /** Whether the process of a lease is known to be dead. Tests of the protocol pass their own function. */
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
}

/** Whether the holder of a lease may still be alive, by the age of the lease. */
export function isHeld({ text, ageMs }: FileSnapshot, { ttlMs, isDead = isGone }: HolderCheck): boolean {
  const lease = parseLease(text);
  if (ageMs > (lease?.ttlMs ?? ttlMs)) return false;
  if (lease === undefined) return true;
  if (isDead(lease)) return false;
  // The long TTL before the first heartbeat applies only to a live holder. If the holder is dead and its watcher has
  // not released the lease within `ttlMs`, the watcher is paused or has another worker by now.
  return !(ageMs > ttlMs && lease.watcher !== undefined && isKnownDead(lease));
}

// On a file system of several hosts an age may come from a cache. So this process also watches, by its own clock, whether
// the lease changes: each heartbeat writes another number into it.
const silentLives = 2;
// Two machines may have the same host name, boot id and process ids: copies of a running machine. A heartbeat shows that the
// process that is not here runs there. Beats come six times in the life of a lease.
const deadLives = 1 / 3;

/** Whether an attempt may be taken from its holder. */
export function judgeHolder(snapshot: FileSnapshot, judge: HolderCheck): "held" | "gone" {
  const { text, ageMs, unchangedMs } = snapshot;
  if (isHeld(snapshot, judge)) return "held";
  if (unchangedMs === undefined) return "gone";
  const lease = parseLease(text);
  // A supervisor has seen the end of its worker itself.
  if (lease !== undefined && judge.isDead?.(lease) === true) return "gone";
  const ttlMs = lease?.ttlMs ?? judge.ttlMs;
  if (lease !== undefined && judge.isDead === undefined && isKnownDead(lease))
    return unchangedMs < deadLives * Math.min(ttlMs, judge.ttlMs) ? "held" : "gone";
  // Nothing has been written into a folder without a lease.
  return ageMs > ttlMs && unchangedMs < silentLives * ttlMs ? "held" : "gone";
}

/** Whether both the holder and its watcher are dead, so that neither can commit or release the attempt. */
function isGone({ watcher, ...holder }: Lease): boolean {
  return isKnownDead(holder) && (watcher === undefined || isKnownDead(watcher));
}
