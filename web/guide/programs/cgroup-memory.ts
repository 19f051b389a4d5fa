// Replaces src/worker/shard/cgroup-memory.ts: the machine of the guide has no cgroups, and the page stays small.
export function cgroupMemoryLimit(): undefined {
  return undefined;
}

export function countOomKills(): undefined {
  return undefined;
}
