import { requireKeys } from "../../contract/require-keys.ts";
import { guardHook } from "./guard-hook.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

/** Ends a shard with the hook of the runner; returns the state that is kept of it. */
export async function finalStateOf({ hooks, env, state }: ShardAttempt): Promise<object> {
  const kept = await guardHook(hooks.name, "finalizeState", () => hooks.finalizeState(state, env));
  return requireKeys(hooks.name, "finalizeState", kept);
}
