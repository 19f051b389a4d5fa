import { countOomKills, type OomKills } from "../../worker/shard/cgroup-memory.ts";

/** Finds out whether the kernel killed a worker for lack of memory. */
export interface OomEvidence {
  /** Call this regularly: if no worker ends soon after a kill, the kernel has killed another process. */
  look(): void;
  /** Called after a worker ended with SIGKILL. Each count of the kernel explains one end. */
  explain(): "cgroup" | "host" | undefined;
}

const forgetAfterMs = 2000;

export function openOomEvidence(
  count: () => OomKills | undefined = countOomKills,
  now: () => number = () => performance.now(),
): OomEvidence {
  const first = count();
  let explained = first?.count ?? 0;
  let seen = explained;
  let movedMs = Number.NEGATIVE_INFINITY;
  const read = () => {
    const kills = first === undefined ? undefined : count();
    if (kills === undefined || kills.count <= seen) return kills;
    seen = kills.count;
    movedMs = now();
    return kills;
  };
  const look = () => {
    read();
    if (now() - movedMs > forgetAfterMs) explained = seen;
  };
  return {
    look,
    explain() {
      look();
      if (seen <= explained) return undefined;
      explained++;
      return first?.where;
    },
  };
}
