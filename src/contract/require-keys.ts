import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";

const nothing = { state: "{}", finish: "nothing", closeWriters: "nothing", finalizeState: "{}" };

/** What a hook of a runner has returned for the state of a shard, of which the keys are kept: of a Map nothing would be. */
export function requireKeys(runner: string, hook: keyof typeof nothing, value: unknown): object {
  const isKept =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Map || value instanceof Set);
  if (isKept) return value;
  throw new MillraceError(
    "BAD_RUNNER",
    `${runner}.${hook} must return an object whose keys are kept with the shard; it returned ${describeKind(value)}.`,
    {
      hint: `Return { name: value, … }; merge gets it for each shard. Return ${nothing[hook]} if nothing is to be kept.`,
    },
  );
}
