// The public API, in the order of the flow: config, provider, plan, runner, writers, merge, status.
export { checkShape } from "./config/check-shape.ts";
export type { SourcePosition } from "./config/config-node.ts";
export type { InstantiateOptions } from "./config/instantiate.ts";
export { instantiate, loadConfig } from "./config/lazy-config.ts";
export type { Frozen, LoadConfigOptions } from "./config/load-config.ts";
export type { ImportModule } from "./config/load-target.ts";
export { mergeConfigs } from "./config/merge-configs.ts";
export {
  getParallelConfig,
  type ParallelConfig,
  type ParallelEnv,
  type ParallelInput,
  setParallel,
} from "./config/parallel.ts";
export { positionOf } from "./config/position-of.ts";
export { type ResolverFunction, type ResolverOptions, registerResolver, removeResolver } from "./config/resolvers.ts";
export { type Shape, type ShapeMakers, type ShapeProblem, type ShapeValue, shape } from "./config/shape.ts";
export { readFailures } from "./drive/read-failures.ts";
export type { RetryFilter } from "./drive/retry-failed.ts";
// features
export { addDeltas, type DeltaOptions } from "./features/add-deltas.ts";
export type { FeatureMatrix } from "./features/feature-matrix.ts";
export { makeRealFft, type RealFft } from "./features/fft/real-fft.ts";
export { fbank } from "./features/kaldi/fbank.ts";
export type { FbankOptions, KaldiFrameOptions, KaldiWindow, MfccOptions } from "./features/kaldi/kaldi-options.ts";
export { mfcc } from "./features/kaldi/mfcc.ts";
export { type MelMfccOptions, melMfcc } from "./features/mel/mel-mfcc.ts";
export { type MelOptions, type SpectrumWindow, torchaudioMel } from "./features/mel/mel-options.ts";
export { melSpectrogram } from "./features/mel/mel-spectrogram.ts";
export { type DecibelOptions, powerToDb } from "./features/mel/power-to-db.ts";
export { type SpeechbrainFbankOptions, speechbrainFbank } from "./features/mel/speechbrain-fbank.ts";
export { cmvn, type SentenceCmvnOptions } from "./features/normalise/cmvn.ts";
export { type CmvnStats, globalCmvn } from "./features/normalise/global-cmvn.ts";
export type { CmvnOptions } from "./features/normalise/normalise-by.ts";
export { type SlidingCmvnOptions, slidingCmvn } from "./features/normalise/sliding-cmvn.ts";
export { type EnergyVadOptions, energyVad } from "./features/vad/energy-vad.ts";
export { type FrameLogEnergyOptions, frameLogEnergy } from "./features/vad/frame-log-energy.ts";
export { type SileroVadOptions, sileroVad } from "./features/vad/silero-vad.ts";
export { type SpeechSegment, type SpeechSegmentOptions, speechSegments } from "./features/vad/speech-segments.ts";
export { concatenateShardFiles } from "./merge/concatenate-shard-files.ts";
export { type LoadOnnxOptions, loadOnnx, type OnnxModel } from "./models/load-onnx.ts";
export type { Items } from "./plan/collect-items.ts";
export { type IndexRange, range } from "./plan/range.ts";
export { EnvironmentProvider, type WorkerSetup } from "./provider/environment-provider.ts";
export {
  type InferenceEnv,
  type InferenceParams,
  InferenceProvider,
  type InferenceProviderClass,
} from "./provider/inference-provider.ts";
export { BaseRunner, type BatchRunnerClass, type RunnerClass } from "./runner/base-runner.ts";
export type { RunnerOptions } from "./runner/runner-options.ts";
export { type ErrorCode, MillraceError } from "./shared/errors.ts";
export { isMainModule } from "./shared/in-worker.ts";
export type { ModelSession, ModelTensor } from "./shared/model-session.ts";
export type { FilePrefix } from "./store/checkpoint.ts";
export type { ShardFile } from "./store/done.ts";
export { readLines, readRecords } from "./store/read-records.ts";
export { type RunStatus, runStatus, type WorkerStatus } from "./store/run-status.ts";
export type { FailureRecord } from "./worker/failure-log.ts";
export type { Awaitable, ShardPlace, ShardState, Writers } from "./worker/runner-hooks.ts";
export { readShardState } from "./worker/shard-state.ts";
export type { BatchBy } from "./worker/work-options.ts";
export { jsonlWriter } from "./writers/jsonl-writer.ts";
export type { LineWriter } from "./writers/line-writer.ts";
export { textWriter } from "./writers/text-writer.ts";
export type { Writer, WriterCheckpoint } from "./writers/writer.ts";
