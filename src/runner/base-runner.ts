import { join } from "node:path";
import { projectIn } from "../config/project-of.ts";
import type { RetryFilter } from "../drive/retry-failed.ts";
import type { RunRequest } from "../drive/run-request.ts";
import type { SubmittedRun } from "../drive/submit-run.ts";
import type { StopRequests } from "../launchers/launcher.ts";
import { mergeLineFiles, recordsOfShards } from "../merge/merge-lines.ts";
import type { Items } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import { noteBuiltFields } from "../provider/built-fields.ts";
import { captureProvider } from "../provider/capture-provider.ts";
import { buildLocalEnv, EnvironmentProvider } from "../provider/environment-provider.ts";
import { MillraceError } from "../shared/errors.ts";
import { refuseInWorker } from "../shared/in-worker.ts";
import { isThenable } from "../shared/is-thenable.ts";
import { describeKind } from "../shared/state-json.ts";
import { inspectShard } from "../store/done.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { usualLeaseTtlMs } from "../store/lease.ts";
import { readManifest } from "../store/manifest.ts";
import { runPaths } from "../store/run-paths.ts";
import type { Awaitable, ShardPlace, ShardState, Writers } from "../worker/runner-hooks.ts";
import { ownState } from "../worker/shard-state.ts";
import { jsonlWriter } from "../writers/jsonl-writer.ts";
import type { Writer } from "../writers/writer.ts";
import { bindOptions } from "./bind-options.ts";
import { closeEach } from "./close-each.ts";
import { codeOf } from "./code-of.ts";
import { splitOptions } from "./own-options.ts";
import { requireSendable } from "./require-sendable.ts";
import { type CheckedOptions, checkOptions, type RunnerOptions, runFolder } from "./runner-options.ts";
import { type ClassStatics, checkRunner, identityOf, type RunnerStatics, traitsOf } from "./runner-traits.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

/**
 * The user's function over items. A subclass has a static `forward(idx, env)`, which gets one index or, with
 * `batchSize`, an array of them. Everything else has a default: results are written as JSONL, shards are merged in item
 * order, a killed run goes on from where it was.
 *
 * Two more statics are read where a subclass has them: `module = import.meta.url` is how a worker process finds the class
 * (not needed while `env` is `local`); `version` is raised when `forward` changes in a way that makes earlier outputs
 * wrong, and a resume then refuses. Without a `version` the files of runner and provider are compared instead.
 *
 * The hooks are static because a worker, which may be another process on another host, has the class but not the
 * object. Any of them may return a promise; a run whose hooks all answer at once pays no `await` per item.
 *
 * A subclass adds options of its own with a static `ownOptions`: they are given to the constructor beside the others, or
 * stand in the config, and every hook gets them, checked and with their defaults, as its last argument.
 *
 * @typeParam Env - what the provider builds and `forward` gets
 * @typeParam Result - what `forward` returns for one item; `null` or `undefined` drops the item
 * @typeParam Merged - what `merge`, and so `run`, returns
 * @typeParam Own - the options that the class adds, as they are given
 */
export abstract class BaseRunner<
  Env extends object,
  Result = unknown,
  Merged = NonNullable<Result>[],
  Own extends object = object,
> {
  readonly provider: EnvironmentProvider<Env>;
  /** The options that the class adds, as the hooks get them. */
  protected readonly ownOptions: Own;
  /** The folder of the run; while a run without `outputDir` is on, the temporary one. */
  protected runDir: string;
  private readonly options: CheckedOptions;
  private readonly given: RunnerOptions;
  /** What the driver read of the shards that it hands to `merge`. */
  private committed: ReadonlyMap<number, KnownShard> = new Map();

  /** The options may be left out where none of them is required. */
  constructor(
    provider: EnvironmentProvider<Env>,
    ...[options]: object extends Own ? [options?: RunnerOptions & Own] : [options: RunnerOptions & Own]
  ) {
    if (!(provider instanceof EnvironmentProvider)) {
      throw new MillraceError("BAD_PROVIDER", `${new.target.name} got ${describeKind(provider)} as its provider.`, {
        hint: "Pass an instance of a class that extends EnvironmentProvider or InferenceProvider.",
      });
    }
    this.provider = provider;
    const statics = new.target as unknown as RunnerStatics;
    const { common, own } = splitOptions(statics, options ?? {});
    this.ownOptions = own as Own;
    this.options = checkOptions(common, Object.keys(statics.ownOptions ?? {}));
    this.given = options ?? {};
    this.runDir = runFolder(this.options) ?? "";
  }

  /** Opens the files of one shard in `shardDir`. Default: `records.jsonl`. */
  static openWriters(shardDir: string, _env: never, ..._own: never[]): Awaitable<Writers> {
    return { records: jsonlWriter(shardDir) };
  }

  /**
   * Takes the result of one item to the writers or into the state, with `batchSize` too. Default: one line of
   * `records.jsonl`.
   */
  static writeRecord(
    writers: Writers,
    result: never,
    _state: ShardState,
    _env: never,
    ..._own: never[]
  ): Awaitable<void> {
    return (writers["records"] as Writer<unknown>).write(result);
  }

  /**
   * Takes what `forward` returned for a whole batch, in the place of `writeRecord` and `reduceState`, which a class with this
   * hook must not have. Default: none.
   *
   * `results` is an array with one entry for each item of the batch, `null` for those that `forward` dropped, or the one object
   * that `forward` returned for the whole batch; a batch of which nothing is left is not handed over. A batch that failed comes in
   * halves. Without `batchSize` it is an array of one.
   */
  static writeBatch?(
    writers: Writers,
    results: never,
    _state: ShardState,
    _env: never,
    ..._own: never[]
  ): Awaitable<void>;

  /** Closes the files of one shard. What it returns is added to the shard's state. Default: closes every writer. */
  static closeWriters(
    writers: Writers,
    _state: ShardState,
    _env: never,
    ..._own: never[]
  ): Awaitable<object | undefined> | Awaitable<void> {
    return closeEach(writers);
  }

  /** The state a shard begins with, with its writers. Add keys to what `super.initState` returns. */
  static async initState({ shardId, shardDir }: ShardPlace, env: never, ...own: never[]): Promise<ShardState> {
    return { shardId, shardDir, writers: await this.openWriters(shardDir, env, ...own) };
  }

  /** Folds the result of one item, with `batchSize` too, into the shard's state. Default: calls `writeRecord`. */
  static reduceState(state: ShardState, result: never, env: never, ...own: never[]): Awaitable<ShardState> {
    const writing = this.writeRecord(state.writers, result, state, env, ...own);
    return isThenable(writing) ? writing.then(() => state) : state;
  }

  /** Ends a shard: closes its writers and returns the state to be kept, which `readShardState` reads. */
  static async finalizeState(state: ShardState, env: never, ...own: never[]): Promise<object> {
    const extra = await this.closeWriters(state.writers, state, env, ...own);
    return { ...ownState(state), ...extra };
  }

  /** Whether a shard folder is complete. Default: its `done` is there and agrees with its files. */
  static isShardDone(shardDir: string): Awaitable<boolean> {
    return inspectShard(shardDir).state === "committed";
  }

  /**
   * Puts the committed shards, in item order, together. Default: returns the records, which are read when they are first
   * looked at; with `mergeFiles` also makes one file of each line file.
   */
  merge(shardDirs: string[]): Awaitable<Merged> {
    if (this.options.mergeFiles) mergeLineFiles(this.runDir, shardDirs, this.committed);
    return recordsOfShards<NonNullable<Result>>(shardDirs, this.committed) as Merged;
  }

  /** Runs `forward` over the items, or over what is left of them, and merges. With `asyncMode` it is `submit`. */
  async run(items: Items): Promise<Merged> {
    // As in ESPnet3, where the mode decides what a call returns; `submit` says so in its type.
    return this.options.asyncMode ? ((await this.submit(items)) as Merged) : this.start(items);
  }

  /**
   * Starts workers that need nobody and returns at once: jobs of a scheduler, or a process in the background where `env`
   * is of this machine. They finish alone, and the last one merges. `millrace attach` and `runStatus` show how it goes.
   */
  async submit(items: Items): Promise<SubmittedRun> {
    refuseInWorker(this.constructor.name);
    if (this.runDir === "") {
      throw new MillraceError("BAD_OPTION", "A run that is left alone needs an outputDir (or an asyncResultDir).", {
        hint: "Its folder must stay when this process has ended.",
      });
    }
    const { leave, kill } = { leave: new AbortController(), kill: new AbortController() };
    const request = this.request(items, { leave: leave.signal, kill: kill.signal });
    const { submitRun } = await loadDrive();
    return submitRun(request, { specsDir: this.options.asyncSpecsDir });
  }

  private async start(items: Items | ItemList): Promise<Merged> {
    refuseInWorker(this.constructor.name);
    const { driveRun, withStopSignals } = await loadDrive();
    return withStopSignals(await this.stopping(), (stop) =>
      this.inRunFolder(() => driveRun<Merged>(this.request(items, stop))),
    );
  }

  /** Goes on with the run that is in `outputDir`, over the items it was begun with, and merges. */
  async resume(): Promise<Merged> {
    const manifest = readManifest(runPaths(this.runDir));
    if (this.options.outputDir !== undefined && manifest !== undefined) return this.start(manifest.plan.items);
    throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${this.runDir || "a temporary folder"}.`, {
      hint: "Start it with run(items) and an outputDir.",
    });
  }

  /** Runs the items that failed once more, puts what succeeds into its place, and merges again. */
  async retryFailed(filter: RetryFilter = {}): Promise<Merged> {
    if (this.options.outputDir === undefined) {
      throw new MillraceError("BAD_OPTION", "retryFailed needs the outputDir of the run whose items failed.", {
        hint: "Pass the outputDir that the run had; without one nothing of it was kept.",
      });
    }
    refuseInWorker(this.constructor.name);
    const { retryFailed, withStopSignals } = await loadDrive();
    return withStopSignals(await this.stopping(), (stop) => retryFailed<Merged>(this.request([], stop), filter));
  }

  private async stopping(): Promise<{ own: AbortSignal | undefined; outlivesDriver: boolean }> {
    const { chooseLauncher } = await loadDrive();
    const { outlivesDriver = false } = await chooseLauncher(this.options.parallel());
    return { own: this.options.signal, outlivesDriver };
  }

  private request(items: Items | ItemList, stop: StopRequests): RunRequest<Merged> {
    const { provider, options, ownOptions, runDir } = this;
    const runner = checkRunner(this.constructor as unknown as RunnerStatics);
    const { config, params } = provider;
    const { state: providerState, identity: fields } = captureProvider(provider);
    const providerClass = provider.constructor as unknown as ClassStatics;
    const parallel = options.parallel();
    const project = projectIn([config, params]);
    const work = { ...options.work, leaseTtlMs: options.work.leaseTtlMs ?? usualLeaseTtlMs(parallel.nWorkers) };
    return {
      ...options,
      work,
      runDir,
      items,
      stop,
      runner: bindOptions(runner, ownOptions),
      traits: traitsOf(runner),
      parallel,
      code: codeOf(runner, providerClass, {
        values: [config, params],
        project,
        isKept: options.outputDir !== undefined,
      }),
      identity: {
        runner: identityOf(runner),
        provider: identityOf(providerClass),
        config,
        params,
        fields,
        options: ownOptions,
      },
      spec: {
        version: 2,
        runner: { module: runner.module, name: runner.name },
        provider: { module: providerClass.module, name: providerClass.name },
        config,
        params,
        ...(project === undefined ? {} : { project }),
        providerState,
        options: work,
        runnerOptions: sendableOptions(this.given),
        ownOptions,
        ...(options.onCodeChange === undefined ? {} : { onCodeChange: options.onCodeChange }),
        parallel,
        cwd: process.cwd(),
      },
      requireSendable: () => requireSendable(runner, provider, providerState),
      buildEnv: () => noteBuiltFields(provider, () => buildLocalEnv(provider)),
      teardown: (env) => provider.teardown(env as Env),
      merge: async (shardDirs, committed) => {
        this.committed = committed;
        return this.merge(shardDirs);
      },
    };
  }

  /** Without an `outputDir` the run has a folder of its own for as long as it lasts, and its records come in memory. */
  private async inRunFolder(act: () => Promise<Merged>): Promise<Merged> {
    if (this.options.outputDir !== undefined) return act();
    const { beforeTheEnd } = await loadDrive();
    return inTemporaryFolder(beforeTheEnd, async (folder) => {
      this.runDir = join(folder, this.options.shardSubdir);
      const merged = await act();
      return Array.isArray(merged) ? ([...merged] as Merged) : merged;
    });
  }
}

// What only this process has, or says where it works, does not go along.
function sendableOptions({ signal: _signal, parallel: _parallel, ...options }: RunnerOptions): RunnerOptions {
  return options;
}

// Only here: a worker imports this class and never drives a run.
const loadDrive = () => import("../drive/drive.ts");
