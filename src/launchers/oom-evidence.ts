import { countOomKills, type OomKills } from "../worker/cgroup-memory.ts";

/** Tells whether the kernel ended a worker for want of memory. */
export interface OomEvidence {
  /** To be called now and then: a kill that no end of a worker follows was of another process. */
  look(): void;
  /** A worker was just ended by SIGKILL. Each count of the kernel's explains one such end. */
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
