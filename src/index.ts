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
export { readFailures } from "./drive/read-failures.ts";
export type { RetryFilter } from "./drive/retry-failed.ts";
export type { SubmittedRun } from "./drive/submit-run.ts";
export type { DetachedJob } from "./launchers/launcher.ts";
export { concatenateShardFiles } from "./merge/concatenate-shard-files.ts";
export type { Items } from "./plan/collect-items.ts";
export { type IndexRange, range } from "./plan/range.ts";
export { EnvironmentProvider, type WorkerSetup } from "./provider/environment-provider.ts";
export {
  type InferenceEnv,
  type InferenceParams,
  InferenceProvider,
  type InferenceProviderClass,
} from "./provider/inference-provider.ts";
export { BaseRunner } from "./runner/base-runner.ts";
export {
  type DefinedProvider,
  type DefinedRun,
  type DefinedRunner,
  defineRun,
  type RunDefinition,
} from "./runner/define-run.ts";
export type { OwnOption, OwnOptions } from "./runner/own-options.ts";
export type { BatchRunnerClass, RunnerClass } from "./runner/runner-class.ts";
export type { RunnerOptions } from "./runner/runner-options.ts";
export { type ErrorCode, MillraceError } from "./shared/errors.ts";
export { isMainModule } from "./shared/in-worker.ts";
export type { ModelSession, ModelTensor } from "./shared/model-session.ts";
export type { FilePrefix } from "./store/checkpoint.ts";
export type { ShardFile } from "./store/done.ts";
export type { JobSight } from "./store/job-sight.ts";
export type { RunFailure } from "./store/last-failure.ts";
export { readLines, readRecords } from "./store/read-records.ts";
export { type RunState, type RunStatus, runStatus, type WorkerStatus } from "./store/run-status.ts";
export type { FailureRecord } from "./worker/failure-log.ts";
export type { Awaitable, ShardPlace, ShardState, Writers } from "./worker/runner-hooks.ts";
export { readShardState } from "./worker/shard-state.ts";
export type { BatchBy } from "./worker/work-options.ts";
export { jsonlWriter } from "./writers/jsonl-writer.ts";
export { type KeyedWriter, keyedWriter } from "./writers/keyed-writer.ts";
export type { LineWriter } from "./writers/line-writer.ts";
export { textWriter } from "./writers/text-writer.ts";
export type { CheckpointingWriter, Writer, WriterCheckpoint } from "./writers/writer.ts";
