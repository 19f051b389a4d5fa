import type { ShapeValue } from "../config/shape.ts";
import type { ItemError } from "../errors/item-error.ts";
import type { Items } from "../plan/collect-items.ts";
import type { Writer } from "../writers/writer.ts";
import type { CallContext } from "./call-context.ts";
import type { OwnOption } from "./class-options.ts";
import type { RunPlace } from "./run-place.ts";
import type { Awaitable, OfSubclass } from "./runner-hooks.ts";
import type { BatchOptions, RunOptions } from "./runner-options.ts";
import type { RunningRun } from "./start-run.ts";
import type { RetryFilter, SubmittedRun } from "./task.ts";
import type { BatchBy } from "./work-options.ts";

/** The own options of a definition, by name. */
export type OptionDeclarations = Readonly<Record<string, OwnOption<OfSubclass>>>;

/** The own options of a definition that has none. */
// biome-ignore lint/complexity/noBannedTypes: an object without keys; as a Record it would show `never` where people hover
export type NoOptions = {};

type OptionValue<Option> = Option extends { readonly shape: infer Shape } ? ShapeValue<Shape> : never;

/** The own options of a definition, as its functions get them. */
type OptionValues<Options> = { readonly [Name in keyof Options]: OptionValue<Options[Name]> };

type LeftOut<Options> = {
  [Name in keyof Options]: Options[Name] extends { readonly default: unknown }
    ? Name
    : undefined extends OptionValue<Options[Name]>
      ? Name
      : never;
}[keyof Options];

/** The own options, as a start passes them: those with a default may be left out. */
type OptionsGiven<Options> = {
  readonly [Name in Exclude<keyof Options, LeftOut<Options>>]: OptionValue<Options[Name]>;
} & { readonly [Name in LeftOut<Options>]?: OptionValue<Options[Name]> | undefined };

/** The last argument of every function of a definition. */
export interface RunContext<Options> {
  readonly options: OptionValues<Options>;
}

/** The result of `env`, with its promises resolved. */
type BuiltEnv<Env> = [Extract<Env[keyof Env], PromiseLike<unknown>>] extends [never]
  ? Env
  : { [Key in keyof Env]: Awaited<Env[Key]> };

/** The first argument of `forward`: one index, or those of a batch. */
type IndexOf<Batch> = Batch extends undefined ? number : readonly number[];

/** What `forward` gets from `prefetch`: one value, or one for each item of a batch. */
type PrefetchedOf<Batch, Prefetched> = Batch extends undefined ? Prefetched : readonly Prefetched[];

/** The result of an item that was not dropped. */
export type ResultOf<Batch, Returned> = Batch extends undefined
  ? Exclude<NonNullable<Awaited<Returned>>, ItemError>
  : Awaited<Returned> extends readonly (infer Result)[]
    ? Exclude<NonNullable<Result>, ItemError>
    : never;

/** A batch has as many results as items. */
type BatchCheck<Batch> = Batch extends undefined ? unknown : Awaitable<readonly unknown[]>;

/** Requires a `merge` if a run returns something else than its records. */
export type MergeCheck<Merged, Result> = Result[] extends Merged ? unknown : { readonly merge: unknown };

/** The writers of a run without custom writers. */
export interface DefaultWriters<Result> {
  readonly records: Writer<Result>;
}

/** A committed shard, for `merge`. */
export interface ShardOutput<Result, State> {
  readonly dir: string;
  /** The final state: the keys of `state` and the result of `finish`. Read on first access. */
  readonly state: State;
  /** The records of the default writers, read on first access. */
  readonly records: readonly Result[];
}

/** The functions and settings of a run. All but `env` and `forward` may be left out. */
export interface RunDefinition<
  Env extends object,
  Returned,
  Config,
  Params extends object,
  Batch extends number | BatchBy | undefined,
  Prefetched,
  Writers extends object,
  State extends object,
  Merged,
  Options extends OptionDeclarations,
> {
  /**
   * Builds what `forward` needs (dataset, model, helpers), once per worker. Values that are promises are awaited
   * together.
   */
  readonly env: (config: Config, params: Params) => Env | Promise<Env>;
  /** Own options of this run. They are passed when the run is started, and checked. */
  readonly options?: Options | undefined;
  /** How many items `forward` gets at a time, or up to which total cost. Default: one index, not an array. */
  readonly batch?: Batch | undefined;
  /**
   * Computes the result of one item, or an array with a result for each item of a batch. `null` or `undefined` drops an
   * item.
   */
  readonly forward: (
    idx: IndexOf<Batch>,
    env: BuiltEnv<Env> & RunPlace,
    context: RunContext<Options> & CallContext<PrefetchedOf<Batch, NoInfer<Prefetched>>>,
  ) => Returned & BatchCheck<Batch>;
  /**
   * Gets data for an item ahead of `forward` (reads and decodes a file, for example). `forward` finds it in
   * `context.prefetched`. `prefetchItems` and `prefetchBytes` limit how far ahead.
   */
  readonly prefetch?:
    | ((idx: number, env: BuiltEnv<Env> & RunPlace, context: RunContext<Options>) => Prefetched | Promise<Prefetched>)
    | undefined;
  /** How many calls of `forward` a worker may have open at the same time. A start may set another number. Default: 1. */
  readonly concurrency?: number | undefined;
  /** Whether a call that failed with this error is repeated, within `retries`. Default: always. */
  readonly retryIf?: ((error: unknown) => boolean) | undefined;
  /** The cost of an item, for `batch: { cost, max }`. */
  readonly cost?: ((idx: number, env: BuiltEnv<Env> & RunPlace, context: RunContext<Options>) => number) | undefined;
  /** Opens the files of one shard in its folder. Default: `records.jsonl`. */
  readonly writers?:
    | ((shardDir: string, env: BuiltEnv<Env> & RunPlace, context: RunContext<Options>) => Awaitable<Writers>)
    | undefined;
  /** Returns the first state of a shard, which is kept from item to item. It is plain data, which a checkpoint saves. */
  readonly state?:
    | ((env: BuiltEnv<Env> & RunPlace, context: RunContext<Options>) => State | Promise<State>)
    | undefined;
  /** Writes the result of one item, or adds it to the state. Default: writes a line of `records.jsonl`. */
  readonly write?:
    | ((
        writers: NoInfer<Writers>,
        result: NoInfer<ResultOf<Batch, Returned>>,
        state: NoInfer<State>,
        env: BuiltEnv<Env> & RunPlace,
        context: RunContext<Options>,
      ) => Awaitable<void>)
    | undefined;
  /** Closes the files of one shard. Its return value is added to the state. Default: closes every writer. */
  readonly finish?:
    | ((
        writers: NoInfer<Writers>,
        state: NoInfer<State>,
        env: BuiltEnv<Env> & RunPlace,
        context: RunContext<Options>,
      ) => Awaitable<object | undefined> | Awaitable<void>)
    | undefined;
  /** Merges the committed shards, which are in item order. Default: returns all records. */
  readonly merge?:
    | ((
        shards: readonly ShardOutput<NoInfer<ResultOf<Batch, Returned>>, NoInfer<State>>[],
        run: { readonly runDir: string },
      ) => Merged | Promise<Merged>)
    | undefined;
  /** Called once per worker when it leaves, to close files or free a device. */
  readonly teardown?: ((env: BuiltEnv<Env>) => void | Promise<void>) | undefined;
  /** Raised when a function changes in a way that makes earlier outputs wrong: a resume then refuses. */
  readonly version?: string | number | undefined;
}

type ConfigPart<Config> = unknown extends Config ? { readonly config?: Config } : { readonly config: Config };
type ParamsPart<Params> = object extends Params ? { readonly params?: Params } : { readonly params: Params };

/** The options of a start, in one object: config and params of `env`, own options, and the options of every run. */
export type StartOptions<Config, Params extends object, Batch, Options> = RunOptions &
  (Batch extends undefined ? unknown : BatchOptions) &
  OptionsGiven<Options> &
  ConfigPart<Config> &
  ParamsPart<Params>;

/** The options may be left out if none of them is required. */
type StartArguments<Start> = object extends Start ? [options?: Start] : [options: Start];

/** A run that `defineRun` has defined. */
export interface DefinedRun<Result, Merged, Start> {
  /** Runs `forward` over the items, or over those that are left, and merges. */
  run(items: Items, ...options: StartArguments<Start>): Promise<Merged>;
  /**
   * Starts the run and returns at once. Iterate the returned object to get the records as shards are committed, or
   * await its `result`.
   */
  start(items: Items, ...options: StartArguments<Start>): RunningRun<Result, Merged>;
  /** Starts workers that finish without this process, and returns at once. */
  submit(items: Items, ...options: StartArguments<Start>): Promise<SubmittedRun>;
  /** Continues the run in `outputDir`, over the items with which it was started, and merges. */
  resume(...options: StartArguments<Start>): Promise<Merged>;
  /** Runs the failed items again (all, or those whose message matches `error`), and merges again. */
  retryFailed(...options: StartArguments<Start & RetryFilter>): Promise<Merged>;
}
