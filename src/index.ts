// The public API, in the order of the flow: config, provider, plan, runner, writers, merge, status.
export { checkShape } from "./config/check-shape.ts";
export type { SourcePosition } from "./config/config-node.ts";
export { findProjectRoot } from "./config/find-project-root.ts";
export type { InstantiateOptions } from "./config/instantiate.ts";
export { instantiate, loadConfig } from "./config/lazy-config.ts";
export type { Frozen, LoadConfigOptions } from "./config/load-config.ts";
export type { ImportModule } from "./config/load-target.ts";
export { mergeConfigs } from "./config/merge-configs.ts";
export {
  getParallelConfig,
  type ParallelConfig,
  type ParallelInput,
  setParallel,
} from "./config/parallel.ts";
export type { ParallelEnv } from "./config/parallel-envs.ts";
export { positionOf } from "./config/position-of.ts";
export { type ResolverFunction, type ResolverOptions, registerResolver, removeResolver } from "./config/resolvers.ts";
export { type Shape, type ShapeMakers, type ShapeProblem, type ShapeValue, shape } from "./config/shape.ts";
export type { StandardSchema } from "./config/standard-schema.ts";
export { BaseRunner, BatchRunner } from "./contract/base-runner.ts";
export type { CallContext } from "./contract/call-context.ts";
export type { OwnOption, OwnOptions } from "./contract/class-options.ts";
export { defineRun } from "./contract/define-run.ts";
export { defineFunction, defineProvider, defineRunner, type ModuleMeta } from "./contract/define-runner.ts";
export { EnvironmentProvider, type EnvOf, type WorkerSetup } from "./contract/environment-provider.ts";
export {
  type InferenceEnv,
  type InferenceParams,
  InferenceProvider,
} from "./contract/inference-provider.ts";
export type {
  DefaultWriters,
  DefinedRun,
  RunContext,
  RunDefinition,
  ShardOutput,
  StartOptions,
} from "./contract/run-definition.ts";
export type { RunPlace } from "./contract/run-place.ts";
export type { Awaitable, ShardPlace, ShardState } from "./contract/runner-hooks.ts";
export type { BatchOptions, ItemIndex, RunnerOptions, RunOptions } from "./contract/runner-options.ts";
export type { RunningRun } from "./contract/start-run.ts";
export type { DetachedJob, RetryFilter, SubmittedRun } from "./contract/task.ts";
export type { BatchBy } from "./contract/work-options.ts";
export { readFailures } from "./driver/read-failures.ts";
export { type ErrorCode, MillraceError } from "./errors/errors.ts";
export { ItemError } from "./errors/item-error.ts";
export { type RefusedResponse, type RetryAfterDetails, RetryAfterError } from "./errors/retry-after-error.ts";
export { concatenateShardFiles } from "./merge/concatenate-shard-files.ts";
export type { ModelSession, ModelTensor } from "./models/model-session.ts";
export type { Items } from "./plan/collect-items.ts";
export { type IndexRange, range } from "./plan/range.ts";
export type { JobQueueStatus } from "./run-folder/jobs/job-queue-status.ts";
export type { RateLimit } from "./run-folder/rate/rate-limit.ts";
export type { CallCounts } from "./run-folder/run/call-counts.ts";
export type { RunFailure } from "./run-folder/run/last-failure.ts";
export type { RunState } from "./run-folder/run/run-state.ts";
export { type RunStatus, runStatus, type WorkerStatus } from "./run-folder/run/run-status.ts";
export type { FilePrefix } from "./run-folder/shard/checkpoint.ts";
export type { ShardFile } from "./run-folder/shard/done.ts";
export { type ReadLinesOptions, readLines, readRecords } from "./run-folder/shard/read-records.ts";
export { readShardState } from "./run-folder/shard/shard-state.ts";
export { type CurrentWorker, currentWorker } from "./runtime/current-worker.ts";
export { isMainModule } from "./runtime/in-worker.ts";
export type { FailureRecord } from "./worker/shard/failure-log.ts";
export { jsonlWriter } from "./writers/jsonl-writer.ts";
export { type KeyedWriter, keyedWriter } from "./writers/keyed-writer.ts";
export type { LineWriter } from "./writers/line-writer.ts";
export { textWriter } from "./writers/text-writer.ts";
export type { CheckpointingWriter, Writer, WriterCheckpoint } from "./writers/writer.ts";
