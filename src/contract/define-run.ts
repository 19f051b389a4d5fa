import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { MillraceError } from "../errors/errors.ts";
import { recordsOfShards } from "../merge/merge-lines.ts";
import type { Items } from "../plan/collect-items.ts";
import { readShardState } from "../run-folder/shard/shard-state.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind, isPlainObject } from "../values/state-json.ts";
import { BaseRunner } from "./base-runner.ts";
import type { ModuleMeta } from "./define-runner.ts";
import { type DefinitionMark, definitionMark } from "./definition-mark.ts";
import { EnvironmentProvider } from "./environment-provider.ts";
import type {
  DefaultWriters,
  DefinedRun,
  OptionDeclarations,
  ResultOf,
  RunContext,
  RunDefinition,
  ShardOutput,
  StartOptions,
} from "./run-definition.ts";
import type { OfSubclass, ShardPlace } from "./runner-hooks.ts";
import { type GivenOptions, type ItemIndex, isRunnerOption, runnerOptionNames } from "./runner-options.ts";
import type { RunningRun } from "./start-run.ts";
import type { RetryFilter, SubmittedRun } from "./task.ts";
import type { BatchBy } from "./work-options.ts";

/**
 * A run as one literal: what `env` builds is what `forward` gets, and no type has to be written down. Export what it returns: a
 * worker in another process imports the module and looks for it among the exports.
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
  Writers extends object = DefaultWriters<ResultOf<Batch, Returned>>,
  State extends object = object,
  Merged = ResultOf<Batch, Returned>[],
  const Options extends OptionDeclarations = Readonly<Record<never, never>>,
>(
  meta: ModuleMeta,
  definition: RunDefinition<Env, Returned, Config, Params, Batch, Writers, State, Merged, Options>,
): DefinedRun<ResultOf<Batch, Returned>, Merged, StartOptions<Config, Params, Batch, Options>> {
  return new Definition(meta, definition as AnyDefinition) as DefinedRun<OfSubclass, OfSubclass, OfSubclass>;
}

type AnyDefinition = RunDefinition<
  object,
  unknown,
  unknown,
  object,
  OfSubclass,
  object,
  object,
  unknown,
  OptionDeclarations
>;

type AnyStart = GivenOptions & { readonly config?: unknown; readonly params?: object };

/** How many definitions each module has made: a worker makes the same ones, in the same order. */
const made = new Map<string, number>();

/** A definition as the two classes that workers know. */
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
      checkStart(start, definition);
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

/** Waits for the values that are promises, all at once: `{ dataset: openJsonl(path), model: loadModel() }`. */
function awaitValues(built: object | Promise<object>): object | Promise<object> {
  if (built instanceof Promise) return built.then(awaitValues);
  if (!isPlainObject(built) || !Object.values(built).some(isThenable)) return built;
  const entries = Object.entries(built).map(async ([key, value]) => [key, await value] as const);
  return Promise.all(entries).then((all) => Object.fromEntries(all));
}

/** A class with the hooks that a definition has: the others keep their defaults. */
function runnerOf({ options, batch, forward, cost, writers, state, write, finish, merge }: AnyDefinition) {
  class Runner extends BaseRunner<object, unknown, object, ItemIndex> {
    constructor(provider: EnvironmentProvider<object>, given: GivenOptions = {}) {
      super(provider, withBatch(given, batch as number | BatchBy | undefined));
    }
    override merge(shardDirs: string[]): unknown {
      return merge === undefined ? super.merge(shardDirs) : merge(shardDirs.map(shardOutput), { runDir: this.runDir });
    }
  }
  // The same object for every item: a run of tiny items pays nothing for it.
  const plain: RunContext<object> = { options: {} };
  let last: RunContext<object> = plain;
  const contextOf = (own: object | undefined): RunContext<OptionDeclarations> => {
    if (own === undefined) return plain as RunContext<OptionDeclarations>;
    if (last.options !== own) last = { options: own };
    return last as RunContext<OptionDeclarations>;
  };
  return Object.assign(
    Runner,
    { forward: (idx: ItemIndex, env: object, own?: object) => forward(idx as never, env, contextOf(own)) },
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

/** The batches of a start; where it asks for none, those of the definition. */
function withBatch(given: GivenOptions, batch: number | BatchBy | undefined): GivenOptions {
  const asked = (["batchSize", "batchBy"] as const).find((key) => given[key] != null);
  if (asked !== undefined && batch !== undefined) return given;
  if (asked !== undefined) {
    throw new MillraceError("BAD_OPTION", `${asked} is given, and \`forward\` of this run takes one index.`, {
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

/** How a definition is called where people see it: by its file, the second and further ones of a file with a number. */
function nameOf(url: string, position: number): string {
  const file = url.startsWith("file:") ? basename(fileURLToPath(url)) : (url.split("/").at(-1) ?? url);
  const name = file.replace(/\.[cm]?[jt]sx?$/, "");
  return position === 0 ? name : `${name}-${position + 1}`;
}

/** The likeliest mistake: what `env` takes is given beside `config` instead of in it. */
function checkStart(start: AnyStart, { options = {} }: AnyDefinition): void {
  const names = ["config", "params", ...Object.keys(options)];
  const unknown = Object.keys(start).find((key) => !names.includes(key) && !isRunnerOption(key));
  if (unknown === undefined) return;
  const near = nearestName(unknown, [...names, ...runnerOptionNames]);
  throw new MillraceError("BAD_OPTION", `Option ${JSON.stringify(unknown)} is not known.`, {
    hint:
      near === undefined
        ? `What \`env\` takes is in config: run(items, { config: { ${unknown}: … } }).`
        : `Did you mean ${near}? What \`env\` takes is in config: run(items, { config: { … } }).`,
  });
}

const keys: Record<keyof AnyDefinition, "function" | "any"> = {
  env: "function",
  forward: "function",
  cost: "function",
  writers: "function",
  state: "function",
  write: "function",
  finish: "function",
  merge: "function",
  teardown: "function",
  options: "any",
  batch: "any",
  version: "any",
};

function checkDefinition(meta: unknown, definition: AnyDefinition): void {
  if (typeof (meta as ModuleMeta | undefined)?.url !== "string") {
    throw new MillraceError("BAD_OPTION", `defineRun got ${describeKind(meta)} as its first argument.`, {
      hint: "Pass import.meta: defineRun(import.meta, { env, forward }).",
    });
  }
  for (const [key, value] of Object.entries(definition ?? {})) {
    const kind = Object.hasOwn(keys, key) ? keys[key as keyof AnyDefinition] : undefined;
    if (kind === undefined) {
      const near = nearestName(key, Object.keys(keys));
      throw new MillraceError("BAD_RUNNER", `A run has no ${JSON.stringify(key)}.`, {
        hint: near === undefined ? `Known: ${Object.keys(keys).join(", ")}.` : `Did you mean ${near}?`,
      });
    }
    if (kind === "function" && value !== undefined && typeof value !== "function") {
      throw new MillraceError("BAD_RUNNER", `${key} of a run is ${describeKind(value)}.`, {
        hint: `Write ${key} as a function.`,
      });
    }
  }
  const missing = (["env", "forward"] as const).find((key) => definition?.[key] === undefined);
  if (missing === undefined) return;
  throw new MillraceError("BAD_RUNNER", `A run needs ${missing}.`, {
    hint: "defineRun(import.meta, { env: (config) => ({ … }), forward: (idx, env) => … }).",
  });
}
