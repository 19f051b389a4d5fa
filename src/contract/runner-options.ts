import { join } from "node:path";
import type { OnCodeChange } from "../code/compare-code.ts";
import { checkParallel, getParallelConfig, type ParallelConfig, type ParallelInput } from "../config/parallel.ts";
import { checkRateLimit, type RateLimit } from "../run-folder/rate/rate-limit.ts";
import {
  checkBatchBy,
  checkBoolean,
  checkFolder,
  checkNonFinite,
  checkNumber,
  checkOnCodeChange,
  checkOnError,
  checkOptional,
  checkSpecAccess,
  checkSubdir,
  unknownName,
} from "./option-checks.ts";
import type { BatchBy, WorkOptions } from "./work-options.ts";

// Limited because each open call may be of another shard, with open files and a lease to renew.
const maxConcurrency = 4096;

/** The options of a run whose `forward` takes an array of indices. */
export interface BatchOptions {
  /** Indices per call of `forward`, which then gets an array. Default: one index, not an array. */
  readonly batchSize?: number | null | undefined;
  /** Batches by cost (`itemCost` of a runner, `cost` of `defineRun`) instead of by count. */
  readonly batchBy?: BatchBy | undefined;
}

/** The options of every run. All but `outputDir` and `shardSubdir`, which say where the run is, may change at a resume. */
export interface RunOptions {
  /** The folder of the run. Default: a temporary folder, removed when the records are returned. */
  readonly outputDir?: string | undefined;
  /** A folder below `outputDir` for the shards, the manifest and the merged files. Default: `outputDir` itself. */
  readonly shardSubdir?: string | undefined;
  /** `false` deletes the earlier run in the folder and starts over. Default: `true`. */
  readonly resume?: boolean | undefined;
  /**
   * Continues although config, params, runner, provider or their code changed since the run was started. Default:
   * `false`.
   */
  readonly acceptChange?: boolean | undefined;
  /**
   * What a start, or a worker, does if the code has changed since it made the outputs: `refuse`, `warn` (continue with
   * a warning), `accept`. Default: `refuse` if the module of the runner or the provider has changed, `warn` if only a
   * module that they import has.
   */
  readonly onCodeChange?: OnCodeChange | undefined;
  /**
   * How many shards a new run is cut into. Default: 16 per worker, at least 128; or one per batch if that is at most
   * twice as many.
   */
  readonly shards?: number | undefined;
  /** What happens if an item fails: `fail` stops the run, `skip` writes the item to `failures.jsonl`. Default: `fail`. */
  readonly onError?: "fail" | "skip" | undefined;
  /** How many times a failing item is tried again. Default: 0. */
  readonly retries?: number | undefined;
  /**
   * The maximum pause before the second try, in milliseconds; it doubles with each try. The pause is a random part of
   * it. The time that the server asked for (`retryAfterMs` of the error) is added. Default: 100.
   */
  readonly retryDelay?: number | undefined;
  /** The upper limit of that maximum, in milliseconds. The time that the server asked for is added. Default: 30000. */
  readonly maxRetryDelay?: number | undefined;
  /**
   * How many calls of `forward` each worker may have open at the same time, for work that waits: APIs, downloads.
   * Results are still written in item order. Default: 1.
   */
  readonly concurrency?: number | undefined;
  /** Bytes of results that may wait for an earlier item in each worker. Above it, no more calls begin. Default: 64 MiB. */
  readonly maxWaitingBytes?: number | undefined;
  /** How many calls of `forward` all workers together may begin: `{ perSecond, burst, adaptive }`. Default: no limit. */
  readonly rateLimit?: RateLimit | undefined;
  /** How many items `prefetch` may be ahead of `forward` in each worker. Default: 4, or two batches. */
  readonly prefetchItems?: number | undefined;
  /** Bytes that prefetched values may take in each worker. Default: 256 MiB. */
  readonly prefetchBytes?: number | undefined;
  /**
   * With `onError: "skip"`: how many items may fail before the run stops, or below 1, which share of them. Default: no
   * limit.
   */
  readonly maxFailures?: number | undefined;
  /**
   * Milliseconds that `forward` may take per item. Default: no limit. With `env: local` it applies only to an
   * asynchronous `forward`: a synchronous one can only be ended together with its worker.
   */
  readonly itemTimeout?: number | undefined;
  /**
   * Bytes of memory (RSS) above which a worker is replaced by a new one, between two items. Default: no limit. It
   * applies to workers that are processes, not with `local` and `thread`.
   */
  readonly maxRss?: number | undefined;
  /**
   * The minimum time between checkpoints, in milliseconds. Default: 30. The time is longer if checkpoints would take
   * over 1 % of the time; a kill then repeats at most 5 s or 1 % of the work. If that cannot be kept, the run prints
   * why.
   */
  readonly checkpointInterval?: number | undefined;
  /**
   * NaN and infinities in the default records, which JSON does not have: `refuse` fails the item, `null` writes null.
   * Default: `refuse`. A `jsonlWriter` that you open has its own option.
   */
  readonly nonFinite?: "refuse" | "null" | undefined;
  /** Milliseconds after which a worker without heartbeat loses its shard. Default: 15000, and more from 500 workers on. */
  readonly leaseTtl?: number | undefined;
  /**
   * Merges the line files of all shards (`records.jsonl`, for example) into one file in the run folder. Default:
   * `false`.
   */
  readonly mergeFiles?: boolean | undefined;
  /**
   * Who may read `spec.json` of the run, which has config and params: only the `owner`, or also the `group` of the
   * folder, so that colleagues can continue the run. Default: `owner`.
   */
  readonly specAccess?: "owner" | "group" | undefined;
  /** Shows progress on stderr. Default: `true`. */
  readonly progress?: boolean | undefined;
  /** The folder into which `submit` writes a JSON file for each task. Default: only the run folder. */
  readonly asyncSpecsDir?: string | undefined;
  /**
   * The folder to which the records of each committed shard are copied, as `split.N.jsonl`. Default: only the run
   * folder. Without `outputDir`, the run folder is `run` in it.
   */
  readonly asyncResultDir?: string | undefined;
  /** Where workers run, for this runner only. Default: the setting of `setParallel`. */
  readonly parallel?: ParallelInput | undefined;
  /** Stops the run: it saves a checkpoint, releases its shards and throws `RUN_STOPPED`. */
  readonly signal?: AbortSignal | undefined;
}

/** The first argument of `forward`: one index, or with a batch an array of them. */
export type ItemIndex = number | readonly number[];

type OneIndexOnly = "forward takes one index: extend BatchRunner, or give BaseRunner an array as its index type";

/** The options of a runner. `batchSize` and `batchBy` are allowed if its `forward` takes arrays. */
export type RunnerOptions<Index extends ItemIndex = number> = RunOptions &
  (readonly number[] extends Index
    ? BatchOptions
    : { readonly batchSize?: OneIndexOnly | null | undefined; readonly batchBy?: OneIndexOnly | undefined });

/** Options from a config, or from a script without types. */
export interface GivenOptions extends RunOptions, BatchOptions {
  /** As in ESPnet3: `run` calls `submit`. */
  readonly asyncMode?: boolean | undefined;
}

/** The checked options, with defaults. */
export interface CheckedOptions {
  readonly outputDir: string | undefined;
  readonly shardSubdir: string;
  readonly resume: boolean;
  readonly acceptChange: boolean;
  readonly onCodeChange: OnCodeChange | undefined;
  readonly shards: number | undefined;
  readonly mergeFiles: boolean;
  readonly specAccess: "owner" | "group";
  readonly progress: boolean;
  readonly signal: AbortSignal | undefined;
  readonly asyncMode: boolean;
  readonly asyncSpecsDir: string | undefined;
  /** `leaseTtlMs` is undefined if the user has not set it: its default depends on the number of workers. */
  readonly work: Omit<WorkOptions, "leaseTtlMs"> & { readonly leaseTtlMs: number | undefined };
  /** Called when a run begins, so that a later `setParallel` applies. */
  readonly parallel: () => ParallelConfig;
}

const known: Record<keyof GivenOptions, true> = {
  batchSize: true,
  batchBy: true,
  outputDir: true,
  shardSubdir: true,
  resume: true,
  acceptChange: true,
  onCodeChange: true,
  shards: true,
  onError: true,
  retries: true,
  retryDelay: true,
  maxRetryDelay: true,
  concurrency: true,
  maxWaitingBytes: true,
  rateLimit: true,
  prefetchItems: true,
  prefetchBytes: true,
  maxFailures: true,
  itemTimeout: true,
  maxRss: true,
  checkpointInterval: true,
  nonFinite: true,
  leaseTtl: true,
  mergeFiles: true,
  specAccess: true,
  progress: true,
  asyncMode: true,
  asyncSpecsDir: true,
  asyncResultDir: true,
  parallel: true,
  signal: true,
};

/** The names of the options that every runner has. */
export const runnerOptionNames: readonly string[] = Object.keys(known);

/** Whether every runner has an option of this name. */
export function isRunnerOption(name: string): boolean {
  return Object.hasOwn(known, name);
}

/** Checks the options of a runner. `ownNames`: the names of its own options. */
export function checkOptions(options: GivenOptions, ownNames: readonly string[] = []): CheckedOptions {
  for (const key of Object.keys(options))
    if (!isRunnerOption(key)) throw unknownName(key, key, [...ownNames, ...runnerOptionNames]);
  const batchBy = checkBatchBy(options.batchBy);
  const parallel = options.parallel === undefined ? undefined : checkParallel(options.parallel);
  const asyncMode = checkBoolean("asyncMode", options.asyncMode ?? false);
  const resultDir = checkFolder("asyncResultDir", options.asyncResultDir);
  // A submitted run must have a permanent folder.
  const resultRunFolder = resultDir === undefined ? undefined : join(resultDir, "run");
  return {
    asyncMode,
    asyncSpecsDir: checkFolder("asyncSpecsDir", options.asyncSpecsDir),
    outputDir: checkFolder("outputDir", options.outputDir) ?? resultRunFolder,
    shardSubdir: checkSubdir(options.shardSubdir ?? ""),
    resume: checkBoolean("resume", options.resume ?? true),
    acceptChange: checkBoolean("acceptChange", options.acceptChange ?? false),
    onCodeChange: checkOnCodeChange(options.onCodeChange),
    shards: checkOptional("shards", options.shards, { min: 1, whole: true }),
    mergeFiles: checkBoolean("mergeFiles", options.mergeFiles ?? false),
    specAccess: checkSpecAccess(options.specAccess ?? "owner"),
    progress: checkBoolean("progress", options.progress ?? true),
    signal: options.signal,
    parallel: () => parallel ?? getParallelConfig(),
    work: {
      batchSize: checkOptional("batchSize", options.batchSize ?? undefined, { min: 1, whole: true }),
      batchBy,
      onError: checkOnError(options.onError ?? "fail"),
      retries: checkNumber("retries", options.retries ?? 0, { min: 0, whole: true }),
      retryDelayMs: checkOptional("retryDelay", options.retryDelay, { min: 0 }),
      maxRetryDelayMs: checkOptional("maxRetryDelay", options.maxRetryDelay, { min: 0 }),
      concurrency: checkOptional("concurrency", options.concurrency, { min: 1, whole: true, max: maxConcurrency }),
      maxWaitingBytes: checkOptional("maxWaitingBytes", options.maxWaitingBytes, { min: 1 }),
      rateLimit: options.rateLimit === undefined ? undefined : checkRateLimit(options.rateLimit),
      prefetchItems: checkOptional("prefetchItems", options.prefetchItems, { min: 1, whole: true }),
      prefetchBytes: checkOptional("prefetchBytes", options.prefetchBytes, { min: 1 }),
      maxFailures: checkNumber("maxFailures", options.maxFailures ?? Number.POSITIVE_INFINITY, { min: 0 }),
      itemTimeoutMs: checkOptional("itemTimeout", options.itemTimeout, { min: 1 }),
      maxRss: checkOptional("maxRss", options.maxRss, { min: 1 }),
      checkpointIntervalMs: checkNumber("checkpointInterval", options.checkpointInterval ?? 30, { min: 0 }),
      nonFinite: checkNonFinite(options.nonFinite ?? "refuse"),
      leaseTtlMs: checkOptional("leaseTtl", options.leaseTtl, { min: 100 }),
      resultDir,
    },
  };
}

/** The run folder of checked options, or undefined for a temporary one. */
export function runFolder({ outputDir, shardSubdir }: CheckedOptions): string | undefined {
  return outputDir === undefined ? undefined : join(outputDir, shardSubdir);
}
