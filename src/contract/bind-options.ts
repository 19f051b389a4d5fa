import type { RunnerHooks } from "./runner-hooks.ts";
import type { RunnerStatics } from "./runner-traits.ts";

/** The hooks of a runner class as a worker calls them, each with the own options as its last argument. */
export function bindOptions(runner: RunnerStatics, own: object): RunnerHooks {
  if (runner.ownOptions === undefined) return runner;
  return {
    name: runner.name,
    forward: forwardWith(runner, own),
    initState: (place, env) => runner.initState(place, env, own),
    reduceState: (state, result, env) => runner.reduceState(state, result, env, own),
    finalizeState: (state, env) => runner.finalizeState(state, env, own),
    closeWriters: (writers, state, env) => runner.closeWriters(writers, state, env, own),
    ...(runner.writeBatch === undefined
      ? {}
      : { writeBatch: (writers, results, state, env) => runner.writeBatch!(writers, results, state, env, own) }),
    ...(runner.retryIf === undefined ? {} : { retryIf: (error) => runner.retryIf!(error, own) }),
    ...(runner.prefetch === undefined ? {} : { prefetch: (idx, env) => runner.prefetch!(idx, env, own) }),
    ...(runner.itemCost === undefined ? {} : { itemCost: (idx, env) => runner.itemCost!(idx, env, own) }),
  };
}

/** `forward` with the own options and the context of the call in one object. */
function forwardWith(runner: RunnerStatics, own: object): RunnerHooks["forward"] {
  let last: { readonly call: object | undefined; readonly both: object } = { call: undefined, both: own };
  return (idx, env, call) => {
    // The same object for all calls that come one after another.
    if (last.call !== call) last = { call, both: Object.assign(Object.create(call ?? null), own) };
    return runner.forward(idx, env, last.both);
  };
}
