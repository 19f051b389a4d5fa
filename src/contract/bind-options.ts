import type { RunnerHooks } from "./runner-hooks.ts";
import type { RunnerStatics } from "./runner-traits.ts";

/** The hooks of a runner class as a worker calls them, each with the class's own options as its last argument. */
export function bindOptions(runner: RunnerStatics, own: object): RunnerHooks {
  if (runner.ownOptions === undefined) return runner;
  return {
    name: runner.name,
    forward: (idx, env) => runner.forward(idx, env, own),
    initState: (place, env) => runner.initState(place, env, own),
    reduceState: (state, result, env) => runner.reduceState(state, result, env, own),
    finalizeState: (state, env) => runner.finalizeState(state, env, own),
    closeWriters: (writers, state, env) => runner.closeWriters(writers, state, env, own),
    ...(runner.writeBatch === undefined
      ? {}
      : { writeBatch: (writers, results, state, env) => runner.writeBatch!(writers, results, state, env, own) }),
    ...(runner.itemCost === undefined ? {} : { itemCost: (idx, env) => runner.itemCost!(idx, env, own) }),
  };
}
