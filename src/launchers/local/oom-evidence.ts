import { countOomKills, type OomKills } from "../../worker/shard/cgroup-memory.ts";

/** Finds out whether the kernel ended a worker because memory ran out. */
export interface OomEvidence {
  /** Call this regularly: a kill that is not followed by the end of a worker was of another process. */
  look(): void;
  /** Called after a SIGKILL of a worker. Each count of the kernel explains one end. */
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
