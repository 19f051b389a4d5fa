import type { ShardState } from "../../contract/runner-hooks.ts";
import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";

const hints = {
  initState:
    "Call super.initState(place, env) and add your own keys to what it returns; openWriters returns an object.",
  reduceState: "Return the state that it was given, or a copy of it: return { ...state, sum }.",
};

/** What a hook of the runner has returned, if it is a state of the shard. */
export function requireState(runner: string, hook: keyof typeof hints, state: unknown): ShardState {
  const { writers } = (state ?? {}) as Partial<ShardState>;
  if (typeof state === "object" && typeof writers === "object" && writers !== null) return state as ShardState;
  throw new MillraceError(
    "BAD_RUNNER",
    `${runner}.${hook} must return a state with its writers in it; it returned ${describeKind(state)}.`,
    { hint: hints[hook] },
  );
}
