// Replaces src/run-folder/shard/inspect-slow-shard.ts: the disk of the guide is quick, and the page stays small.
export function inspectSlowShard(): Promise<never> {
  return Promise.reject(new Error("The disk of the guide is quick."));
}
