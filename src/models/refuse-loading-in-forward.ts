import { MillraceError } from "../shared/errors.ts";

// A forward that keeps what it has loaded does so once a worker; two runs of one process are two workers.
const mostLoads = 2;

const loads = new Map<string, number>();

/**
 * Refuses a `forward` that loads the same model for every item, which is right and a thousand times too slow. Called by
 * whoever loads a model, with the stack of the call; a provider may load as often as it likes.
 */
export function refuseLoadingInForward(name: string, stack: string): void {
  const [, place] = /\bat (?:async )?(?:\w+\.)?forward \((.*)\)$/m.exec(stack) ?? [];
  if (place === undefined) return;
  const key = `${place} ${name}`;
  const times = (loads.get(key) ?? 0) + 1;
  loads.set(key, times);
  if (times <= mostLoads) return;
  throw new MillraceError("BAD_RUNNER", `forward (${place}) loads ${name} again: it has done so ${times - 1} times.`, {
    hint: "forward runs once for every item. Load the model in the provider (buildModel or buildEnvLocal), which runs once a worker, and take it from the env: forward(idx, { model }).",
  });
}
