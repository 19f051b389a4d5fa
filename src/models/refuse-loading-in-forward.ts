import { MillraceError } from "../errors/errors.ts";

// A forward that caches its model loads it once per worker; two runs of one process are two workers.
const maxLoads = 2;

const loads = new Map<string, number>();

/**
 * Refuses a `forward` that loads the same model for every item, which is correct but a thousand times too slow. Called
 * by code that loads a model, with the stack of the call; a provider may load as often as it likes.
 */
export function refuseLoadingInForward(name: string, stack: string): void {
  const [, place] = /\bat (?:async )?(?:\w+\.)?forward \((.*)\)$/m.exec(stack) ?? [];
  if (place === undefined) return;
  const key = `${place} ${name}`;
  const times = (loads.get(key) ?? 0) + 1;
  loads.set(key, times);
  if (times <= maxLoads) return;
  throw new MillraceError("BAD_RUNNER", `forward (${place}) loads ${name} again: it has done so ${times - 1} times.`, {
    hint: "forward runs once for every item. Load the model in the provider (buildModel or buildEnvLocal), which runs once a worker, and take it from the env: forward(idx, { model }).",
  });
}
