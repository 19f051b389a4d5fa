import type { Sight } from "./file-step.ts";
import { isKnownDead, type ProcessIdentity } from "./process-identity.ts";

/** A worker's temporary right to one attempt. Renewing it is writing it again: its age is what counts. */
export interface Lease extends ProcessIdentity {
  readonly worker: string;
  /** A driver runs no items itself; it is there all the same. */
  readonly role?: "worker" | "driver" | undefined;
  readonly ttlMs: number;
  /** Who started the worker and sees it end. While that one is alive, it takes the leases of a dead worker back itself. */
  readonly watcher?: ProcessIdentity | undefined;
}

/** How long a silent worker keeps its attempt. Safety never hangs on it: a late commit is refused by a rename. */
export const defaultLeaseTtlMs = 15_000;
const ttlMsPerWorker = 30;

/**
 * Until the thread of a worker beats, its lease lives this long on other hosts: the very first item may block the worker
 * before it could start the thread. On the same host a process that is gone is known at once.
 */
export const unbeatenTtlMs = 3_600_000;

/** The life of a lease where the user does not say: longer where so many renew theirs that they do so less often. */
export function usualLeaseTtlMs(workers: number): number {
  return Math.max(defaultLeaseTtlMs, ttlMsPerWorker * workers);
}

const hostNames = new Map<string, string>();

/** The name of the host a process is on, without what tells its boots and namespaces apart. */
export function hostNameOf({ host }: ProcessIdentity): string {
  const known = hostNames.get(host);
  if (known !== undefined) return known;
  const [name = ""] = host.split("|", 1);
  if (hostNames.size < 1000) hostNames.set(host, name);
  return name;
}

/** The lease in a file's text, or undefined where it is torn or not there. */
export function parseLease(text: string): Lease | undefined {
  try {
    const lease = JSON.parse(text) as Partial<Lease>;
    return typeof lease.worker === "string" && typeof lease.pid === "number" && typeof lease.ttlMs === "number"
      ? (lease as Lease)
      : undefined;
  } catch {
    return undefined;
  }
}

export interface LeaseJudge {
  /** How long a lease lives whose own text is torn or not written yet. */
  readonly ttlMs: number;
  /** Whether the process of a lease is known to be gone; the model of the protocol has its own. */
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
}

/** Whether the holder of a lease may still be at work. */
export function isHeld({ text, ageMs }: Sight, { ttlMs, isDead = isGone }: LeaseJudge): boolean {
  const lease = parseLease(text);
  if (ageMs > (lease?.ttlMs ?? ttlMs)) return false;
  if (lease === undefined) return true;
  if (isDead(lease)) return false;
  // The long life of a lease whose thread does not beat yet is for a holder that lives. A watcher that has not taken a
  // dead one's lease back by then is stopped, or is not the watcher any more.
  return !(ageMs > ttlMs && lease.watcher !== undefined && isKnownDead(lease));
}

/** Whether nobody is there any more to commit or to take back what a lease stands for. */
function isGone({ watcher, ...holder }: Lease): boolean {
  return isKnownDead(holder) && (watcher === undefined || isKnownDead(watcher));
}
