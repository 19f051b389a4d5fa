import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { MillraceError } from "../errors/errors.ts";
import { recordsOfShards } from "../merge/merge-lines.ts";
import type { Items } from "../plan/collect-items.ts";
import { readShardState } from "../run-folder/shard/shard-state.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { isPlainObject } from "../values/state-json.ts";
import { BaseRunner } from "./base-runner.ts";
import type { CallContext } from "./call-context.ts";
import { checkDefinition, checkStart } from "./check-definition.ts";
import type { ModuleMeta } from "./define-runner.ts";
import { type DefinitionMark, definitionMark } from "./definition-mark.ts";
import { EnvironmentProvider } from "./environment-provider.ts";
import type {
  DefaultWriters,
  DefinedRun,
  MergeCheck,
  NoOptions,
  OptionDeclarations,
  ResultOf,
  RunContext,
  RunDefinition,
  ShardOutput,
  StartOptions,
} from "./run-definition.ts";
import type { OfSubclass, ShardPlace } from "./runner-hooks.ts";
import type { GivenOptions, ItemIndex } from "./runner-options.ts";
import type { RunningRun } from "./start-run.ts";
import type { RetryFilter, SubmittedRun } from "./task.ts";
import type { BatchBy } from "./work-options.ts";

/**
 * Defines a run in one literal: `forward` gets what `env` builds, and all types are inferred. Export the returned
 * object: a worker in another process imports the module and looks for it among the exports.
 *
 * ```ts
 * export const lengths = defineRun(import.meta, {
 *   env: () => ({ words: ["one", "three"] }),
 *   forward: (idx, { words }) => ({ idx, length: words[idx]!.length }),
 * });
 * const records = await lengths.run(range(2)); // { idx: number; length: number }[]
 * ```
 */
export function defineRun<
  Env extends object,
  Returned,
  Config = unknown,
  Params extends object = object,
  Batch extends number | BatchBy | undefined = undefined,
  Prefetched = undefined,
  Writers extends object = DefaultWriters<ResultOf<Batch, Returned>>,
  State extends object = object,
  Merged = ResultOf<Batch, Returned>[],
  const Options extends OptionDeclarations = NoOptions,
>(
  meta: ModuleMeta,
  definition: RunDefinition<Env, Returned, Config, Params, Batch, Prefetched, Writers, State, Merged, Options> &
    MergeCheck<Merged, ResultOf<Batch, Returned>>,
): DefinedRun<ResultOf<Batch, Returned>, Merged, StartOptions<Config, Params, Batch, Options>> {
  return new Definition(meta, definition as AnyDefinition) as DefinedRun<OfSubclass, OfSubclass, OfSubclass>;
}

type AnyDefinition = RunDefinition<
  object,
  unknown,
  unknown,
  object,
  OfSubclass,
  unknown,
  object,
  object,
  unknown,
  OptionDeclarations
>;

type AnyStart = GivenOptions & { readonly config?: unknown; readonly params?: object };

/** The number of definitions in each module. A worker makes the same definitions in the same order. */
const made = new Map<string, number>();

/** A definition, as the two classes that workers use. */
class Definition implements DefinedRun<unknown, unknown, AnyStart> {
  readonly [definitionMark]: DefinitionMark;
  private readonly makeRunner: (options: AnyStart) => BaseRunner<object, unknown, object, ItemIndex>;

  constructor(meta: ModuleMeta, definition: AnyDefinition) {
    checkDefinition(meta, definition);
    const position = made.get(meta.url) ?? 0;
    made.set(meta.url, position + 1);
    const name = nameOf(meta.url, position);
    const [Provider, Runner] = [providerOf(definition), runnerOf(definition)];
    const { version } = definition;
    for (const one of [Provider, Runner]) {
      Object.defineProperty(one, "name", { value: name });
      Object.assign(one, { module: meta.url, definition: position }, version === undefined ? {} : { version });
    }
    this[definitionMark] = { position, Provider, Runner };
    this.makeRunner = (start) => {
      checkStart(start, definition.options);
      const { config, params = {}, ...options } = start;
      copyOrigins(start, options);
      return new Runner(new Provider(config, params), options);
    };
  }

  run(items: Items, options: AnyStart = {}): Promise<unknown> {
    return this.makeRunner(options).run(items);
  }

  start(items: Items, options: AnyStart = {}): RunningRun<unknown, unknown> {
    return this.makeRunner(options).start(items);
  }

  submit(items: Items, options: AnyStart = {}): Promise<SubmittedRun> {
    return this.makeRunner(options).submit(items);
  }

  resume(options: AnyStart = {}): Promise<unknown> {
    return this.makeRunner(options).resume();
  }

  retryFailed({ error, ...options }: AnyStart & RetryFilter = {}): Promise<unknown> {
    return this.makeRunner(options).retryFailed({ error });
  }
}

function providerOf({ env, teardown }: AnyDefinition) {
  return class extends EnvironmentProvider<object> {
    buildEnvLocal(): object | Promise<object> {
      return awaitValues(env(this.config, this.params));
    }
    override teardown(built: object): void | Promise<void> {
      return teardown?.(built);
    }
  };
}

/** Awaits all values that are promises, in parallel: `{ dataset: openJsonl(path), model: loadModel() }`. */
function awaitValues(built: object | Promise<object>): object | Promise<object> {
  if (built instanceof Promise) return built.then(awaitValues);
  if (!isPlainObject(built) || !Object.values(built).some(isThenable)) return built;
  const entries = Object.entries(built).map(async ([key, value]) => [key, await value] as const);
  return Promise.all(entries).then((all) => Object.fromEntries(all));
}

/** Makes a class with the hooks of a definition. All other hooks keep their defaults. */
function runnerOf(definition: AnyDefinition) {
  const { options, forward, prefetch, retryIf, cost, writers, state, write, finish, merge } = definition;
  class Runner extends BaseRunner<object, unknown, object, ItemIndex> {
    constructor(provider: EnvironmentProvider<object>, given: GivenOptions = {}) {
      super(provider, withDefaults(given, definition));
    }
    override merge(shardDirs: string[]): unknown {
      return merge === undefined ? super.merge(shardDirs) : merge(shardDirs.map(shardOutput), { runDir: this.runDir });
    }
  }
  // The same object for every item, so that it costs tiny items nothing.
  const plain: RunContext<object> = { options: {} };
  let last: RunContext<object> = plain;
  const contextOf = (own: object | undefined): RunContext<OptionDeclarations> => {
    if (own === undefined) return plain as RunContext<OptionDeclarations>;
    if (last.options !== own) last = { options: own };
    return last as RunContext<OptionDeclarations>;
  };
  const callContextOf = callContexts(options !== undefined);
  return Object.assign(
    Runner,
    { forward: (idx: ItemIndex, env: object, call: CallContext) => forward(idx as never, env, callContextOf(call)) },
    prefetch === undefined
      ? {}
      : { prefetch: (idx: number, env: object, own?: object) => prefetch(idx, env, contextOf(own)) },
    retryIf === undefined ? {} : { retryIf },
    options === undefined ? {} : { ownOptions: options },
    cost === undefined ? {} : { itemCost: (idx: number, env: object, own?: object) => cost(idx, env, contextOf(own)) },
    writers === undefined
      ? {}
      : { openWriters: (dir: string, env: object, own?: object) => writers(dir, env, contextOf(own)) },
    state === undefined
      ? {}
      : {
          initState: async (place: ShardPlace, env: object, own?: object) => ({
            ...(await state(env, contextOf(own))),
            ...(await BaseRunner.initState.call(Runner, place, env, own)),
          }),
        },
    write === undefined
      ? {}
      : {
          writeRecord: (open: object, result: unknown, kept: object, env: object, own?: object) =>
            write(open, result as never, kept, env, contextOf(own)),
        },
    finish === undefined
      ? {}
      : {
          closeWriters: (open: object, kept: object, env: object, own?: object) =>
            finish(open, kept, env, contextOf(own)),
        },
  );
}

/**
 * Makes the last argument of `forward` of a definition from the one that a worker passes: the context of the call, and
 * the own options.
 */
function callContexts(hasOptions: boolean) {
  type Context = RunContext<OptionDeclarations> & CallContext<unknown>;
  let last: { readonly call: object; readonly context: Context } | undefined;
  return (call: CallContext): Context => {
    if (last?.call !== call) {
      const options = Object.freeze(hasOptions ? { ...call } : {});
      last = { call, context: Object.create(call, { options: { value: options, enumerable: true } }) as Context };
    }
    return last.context;
  };
}

/** The options of a start, with those of the definition as defaults. */
function withDefaults(given: GivenOptions, { batch, concurrency }: AnyDefinition): GivenOptions {
  const options = withBatch(given, batch as number | BatchBy | undefined);
  if (concurrency === undefined || given.concurrency !== undefined) return options;
  const all = { ...options, concurrency };
  copyOrigins(given, all);
  return all;
}

/** Adds the batches of the definition, unless the start has its own. */
function withBatch(given: GivenOptions, batch: number | BatchBy | undefined): GivenOptions {
  const asked = (["batchSize", "batchBy"] as const).find((key) => given[key] != null);
  if (asked !== undefined && batch !== undefined) return given;
  if (asked !== undefined) {
    throw new MillraceError("BAD_OPTION", `${asked} is given, but \`forward\` of this run takes one index.`, {
      hint: "Add `batch` to its definition, and let `forward` take an array of indices; or leave the option out.",
    });
  }
  if (batch === undefined) return given;
  const options = { ...given, ...(typeof batch === "number" ? { batchSize: batch } : { batchBy: batch }) };
  copyOrigins(given, options);
  return options;
}

function shardOutput(dir: string): ShardOutput<never, object> {
  return {
    dir,
    get state() {
      return readShardState<object>(dir);
    },
    get records() {
      return recordsOfShards<never>([dir]);
    },
  };
}

/** The name of a definition for people: the name of its file, and a number for the second and later ones in a file. */
function nameOf(url: string, position: number): string {
  const file = url.startsWith("file:") ? basename(fileURLToPath(url)) : (url.split("/").at(-1) ?? url);
  const name = file.replace(/\.[cm]?[jt]sx?$/, "");
  return position === 0 ? name : `${name}-${position + 1}`;
}
