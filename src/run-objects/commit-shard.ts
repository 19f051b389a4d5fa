import type { ObjectClaim, ObjectWorker } from "./claim-shard.ts";
import { create, type ObjectSteps } from "./object-step.ts";
import { type Progress, removeOtherSegments } from "./shard-segments.ts";

/**
 * Publishes the segments of an attempt as its shard, by creating one object. Of several attempts one succeeds, also of
 * those that were taken over and did not notice: all of them are whole.
 */
export function* commitShard(
  { shard, attempt }: ObjectClaim,
  { position, chain }: Progress,
  context: ObjectWorker,
): ObjectSteps<"committed" | "lost"> {
  const { keys, worker } = context;
  const text = JSON.stringify({ attempt, worker, position, chain });
  if ((yield* create(keys.done(shard), text)).kind === "exists") return "lost";
  yield* removeOtherSegments(shard, chain, context);
  return "committed";
}
