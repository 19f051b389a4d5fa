import { MillraceError } from "../errors/errors.ts";
import { mergeLineFiles, recordsOfShards } from "../merge/merge-lines.ts";
import type { Items } from "../plan/collect-items.ts";
import { inspectShard } from "../run-folder/shard/done.ts";
import { userState } from "../run-folder/shard/shard-state.ts";
import { refuseInWorker } from "../runtime/in-worker.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import { describeKind } from "../values/state-json.ts";
import { jsonlWriter } from "../writers/jsonl-writer.ts";
import type { Writer } from "../writers/writer.ts";
import { splitOptions } from "./class-options.ts";
import { EnvironmentProvider } from "./environment-provider.ts";
import type { Awaitable, OfSubclass, ShardPlace, ShardState } from "./runner-hooks.ts";
import {
  type CheckedOptions,
  checkOptions,
  type GivenOptions,
  type ItemIndex,
  type RunnerOptions,
  runFolder,
} from "./runner-options.ts";
import { checkRunner, type RunnerStatics } from "./runner-traits.ts";
import type { MergedOf, RunnerTypes } from "./runner-types.ts";
import { type RunningRun, startRun } from "./start-run.ts";
import type { CommittedShards, RetryFilter, SubmittedRun, Task } from "./task.ts";

/**
 * Runs a function over items. A subclass has a static `forward(idx, env)`, which gets one index or, with `batchSize`,
 * an array of them. Everything else has a default: results are written as JSONL, shards are merged in item order, a
 * killed run continues where it was.
 *
 * `defineRunner(import.meta, MyRunner)` below the class checks the types of its hooks, and records its module, so that
 * worker processes find it (not needed while `env` is `local`). A static `version` is raised when `forward` changes in
 * a way that makes earlier outputs wrong, and a resume then refuses. Without a `version` the files of runner and
 * provider are compared instead.
 *
 * The hooks are static because a worker, which may be a process on another host, has the class but not the object. Each
 * of them may return a promise. A run whose hooks are all synchronous has no `await` per item.
 *
 * A subclass declares own options in a static `ownOptions`. They are passed to the constructor together with the others,
 * or in the config. Every hook gets them, checked and with their defaults, as its last argument.
 *
 * @typeParam Env - the object that the provider builds and `forward` gets
 * @typeParam Result - the result of `forward` for one item; `null` or `undefined` drops the item
 * @typeParam Own - the own options of the class, as they are passed
 * @typeParam Index - the first argument of `forward`: `number`, `readonly number[]` (see `BatchRunner`), or both
 */
export abstract class BaseRunner<
  Env extends object,
  Result = unknown,
  Own extends object = object,
  Index extends ItemIndex = number,
> {
  declare readonly "~types": RunnerTypes<Env, Result, Own, Index>;
  /** Hooks are static. */
  declare readonly forward?: "forward is static: a worker has the class, not the object";
  readonly provider: EnvironmentProvider<Env>;
  /** The own options of the class, with their defaults, as the hooks get them. */
  protected readonly ownOptions: Required<Own>;
  /** The folder of the run. During a run without `outputDir` it is the temporary folder. */
  protected runDir: string;
  private readonly options: CheckedOptions;
  private readonly given: GivenOptions;
  /** The committed shards that the driver passes to `merge`. */
  private committed: CommittedShards = new Map();

  /** The options may be left out if none of them is required. */
  constructor(
    provider: EnvironmentProvider<Env>,
    ...[options]: object extends Own ? [options?: RunnerOptions<Index> & Own] : [options: RunnerOptions<Index> & Own]
  ) {
    if (!(provider instanceof EnvironmentProvider)) {
      throw new MillraceError("BAD_PROVIDER", `${new.target.name} got ${describeKind(provider)} as its provider.`, {
        hint: "Pass an instance of a class that extends EnvironmentProvider or InferenceProvider.",
      });
    }
    this.provider = provider;
    const statics = staticsOf(new.target);
    const { common, own } = splitOptions(statics, options ?? {});
    this.ownOptions = own as Required<Own>;
    this.options = checkOptions(common, Object.keys(statics.ownOptions ?? {}));
    this.given = (options ?? {}) as GivenOptions;
    this.runDir = runFolder(this.options) ?? "";
  }

  /** Opens the files of one shard in `shardDir`. Default: `records.jsonl`. */
  static openWriters(shardDir: string, _env: OfSubclass, ..._own: OfSubclass[]): OfSubclass {
    return { records: jsonlWriter(shardDir) };
  }

  /**
   * Writes the result of one item, or adds it to the state. It gets one result also with `batchSize`. Default: writes
   * one line of `records.jsonl`.
   */
  static writeRecord(
    writers: OfSubclass,
    result: OfSubclass,
    _state: OfSubclass,
    _env: OfSubclass,
    ..._own: OfSubclass[]
  ): Awaitable<void> {
    return (writers as { readonly records: Writer<unknown> }).records.write(result);
  }

  /**
   * Writes the result of a whole batch. A class with this hook must not have `writeRecord` or `reduceState`. Default: none.
   *
   * `results` is an array with one entry for each item of the batch (`null` for items that `forward` dropped), or the
   * one object that `forward` returned for the whole batch. The hook is not called for a batch without results. A batch
   * that failed is passed in halves. Without `batchSize`, `results` is an array of one.
   */
  declare static writeBatch?:
    | ((
        writers: OfSubclass,
        results: OfSubclass,
        state: OfSubclass,
        env: OfSubclass,
        ...own: OfSubclass[]
      ) => Awaitable<void>)
    | undefined;

  /** Closes the files of one shard. Its return value is added to the state of the shard. Default: closes every writer. */
  static closeWriters(
    writers: OfSubclass,
    _state: OfSubclass,
    _env: OfSubclass,
    ..._own: OfSubclass[]
  ): Awaitable<object | undefined> | Awaitable<void> {
    return closeEach(writers);
  }

  /** Returns the first state of a shard, with its writers. To add keys, extend the result of `super.initState`. */
  static async initState(
    { shardId, shardDir }: ShardPlace,
    env: OfSubclass,
    ...own: OfSubclass[]
  ): Promise<ShardState> {
    return { shardId, shardDir, writers: (await this.openWriters(shardDir, env, ...own)) as object };
  }

  /**
   * Folds the result of one item into the state of the shard. It gets one result also with `batchSize`. Default: calls
   * `writeRecord`.
   */
  static reduceState(
    state: OfSubclass,
    result: OfSubclass,
    env: OfSubclass,
    ...own: OfSubclass[]
  ): Awaitable<ShardState> {
    const { writers } = state as ShardState;
    const writing = this.writeRecord(writers, result, state, env, ...own);
    return isThenable(writing) ? writing.then(() => state as ShardState) : (state as ShardState);
  }

  /** Ends a shard: closes its writers and returns its final state, which `readShardState` reads. */
  static async finalizeState(state: OfSubclass, env: OfSubclass, ...own: OfSubclass[]): Promise<object> {
    const extra = await this.closeWriters((state as ShardState).writers, state, env, ...own);
    return { ...userState(state as ShardState), ...extra };
  }

  /** Whether a shard folder is complete. Default: it has a `done` that matches its files. */
  static isShardDone(shardDir: string): Awaitable<boolean> {
    return inspectShard(shardDir).state === "committed";
  }

  /**
   * Merges the committed shards, which are in item order. `run` returns its result. Default: returns the records, which
   * are read on first access; with `mergeFiles` it also makes one file of each line file.
   */
  merge(shardDirs: string[]): unknown {
    if (this.options.mergeFiles) mergeLineFiles(this.runDir, shardDirs, this.committed);
    return this.records(shardDirs);
  }

  /** The records of committed shards, in item order, for a custom `merge`. They are read on first access. */
  protected records(shardDirs: readonly string[]): NonNullable<Result>[] {
    return recordsOfShards<NonNullable<Result>>(shardDirs, this.committed);
  }

  /**
   * Runs `forward` over the items, or over those that are left, and merges. With `asyncMode: true`, as in ESPnet3, it
   * calls `submit`.
   */
  run(items: Items, mode?: { readonly asyncMode?: false | undefined }): Promise<MergedOf<this, Result>>;
  run(items: Items, mode: { readonly asyncMode: true }): Promise<SubmittedRun>;
  async run(
    items: Items,
    { asyncMode = this.options.asyncMode }: { readonly asyncMode?: boolean | undefined } = {},
  ): Promise<unknown> {
    if (asyncMode) return this.submit(items);
    return (await this.loadDriver()).runTask(this["~task"](), items);
  }

  /**
   * Starts the run in this process and returns at once. Iterate the returned object to get the records as shards are
   * committed, await its `result`, or stop it with `await using`.
   */
  start(items: Items): RunningRun<NonNullable<Result>, MergedOf<this, Result>> {
    return startRun((signal) => this["~task"]<MergedOf<this, Result>>(signal), {
      items,
      loadDriver: () => this.loadDriver(),
      signal: this.options.signal,
    });
  }

  /**
   * Starts workers that finish without this process, and returns at once. The workers are jobs of a scheduler or, if
   * `env` is one of this machine, a process in the background. The last worker merges. `millrace attach` and
   * `runStatus` show the progress.
   */
  async submit(items: Items): Promise<SubmittedRun> {
    return (await this.loadDriver()).submitTask(this["~task"](), items);
  }

  /** Continues the run in `outputDir`, over the items with which it was started, and merges. */
  async resume(): Promise<MergedOf<this, Result>> {
    return (await this.loadDriver()).resumeTask(this["~task"]<MergedOf<this, Result>>());
  }

  /** Runs the failed items again, inserts the results of those that succeed, and merges again. */
  async retryFailed(filter: RetryFilter = {}): Promise<MergedOf<this, Result>> {
    return (await this.loadDriver()).retryTask(this["~task"]<MergedOf<this, Result>>(), filter);
  }

  /** Called before a run is started, continued or retried. It throws if the run cannot succeed. Default: does nothing. */
  protected beforeStart(): Awaitable<void> {}

  // Loaded only to start a run: a worker imports this class too, and drives no run.
  private async loadDriver(): Promise<typeof import("../driver/run-task.ts")> {
    refuseInWorker(this.constructor.name);
    await this.beforeStart();
    return import("../driver/run-task.ts");
  }

  /** The task for a driver. Internal. */
  "~task"<Merged>(signal: AbortSignal | undefined = this.options.signal): Task<Merged> {
    const { provider, options, given, ownOptions } = this;
    return {
      runner: checkRunner(staticsOf(this.constructor)),
      provider,
      options: { ...options, signal },
      given,
      classOptions: ownOptions,
      merge: (shardDirs, { runDir, committed }) => {
        this.runDir = runDir;
        this.committed = committed;
        return this.merge(shardDirs) as Awaitable<Merged>;
      },
    };
  }
}

/** A runner whose `forward` takes an array of indices and returns one result for each; `null` drops an item. */
export abstract class BatchRunner<Env extends object, Result = unknown, Own extends object = object> extends BaseRunner<
  Env,
  Result,
  Own,
  readonly number[]
> {}

// The compiler does not know that the class of a runner has the statics of BaseRunner. checkRunner checks the others.
function staticsOf(runnerClass: unknown): RunnerStatics {
  return runnerClass as RunnerStatics;
}

/** Closes every writer of a shard that can be closed. */
async function closeEach(writers: object): Promise<void> {
  for (const writer of Object.values(writers)) {
    if (typeof (writer as Partial<Writer>)?.close === "function") await (writer as Writer).close();
  }
}
