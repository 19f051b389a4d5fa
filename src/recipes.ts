// millrace/recipes: common jobs of this field, written with the public API alone.

export { type CollectStatsOptions, collectStats } from "./recipes/collect-stats/collect-stats.ts";
export {
  type BatchStats,
  collectStatsBatch,
  type KeyStats,
  type ShapeList,
} from "./recipes/collect-stats/collect-stats-batch.ts";
export type {
  Batch,
  BatchValue,
  CollateFn,
  CollectFeatsModel,
  CollectStatsEnv,
  SequenceValue,
  StatsDataset,
} from "./recipes/collect-stats/collect-stats-env.ts";
export {
  type CollectStatsConfig,
  type CollectStatsParams,
  CollectStatsProvider,
  type Described,
} from "./recipes/collect-stats/collect-stats-provider.ts";
export {
  type CollectedBatch,
  CollectStatsRunner,
  type CollectStatsRunnerOptions,
} from "./recipes/collect-stats/collect-stats-runner.ts";
export { type CommonCollateOptions, commonCollateFn } from "./recipes/collect-stats/common-collate.ts";
export { readCmvnStats, writeGlobalCmvn } from "./recipes/collect-stats/global-cmvn-file.ts";
export type { CollectedStats, ScpPaths } from "./recipes/collect-stats/merge-stats.ts";
export type { Alignment } from "./recipes/inference/align-tokens.ts";
export type { OutputFn, OutputInput } from "./recipes/inference/call-model.ts";
export { formatScore, scoreTsv } from "./recipes/inference/format-score.ts";
export { infer } from "./recipes/inference/infer.ts";
export type { InferConfig, TestSet } from "./recipes/inference/infer-config.ts";
export { InferProvider, type InferProviderConfig } from "./recipes/inference/infer-provider.ts";
export type {
  ArtifactOptions,
  CheckedInferenceOptions,
  InferenceOptions,
} from "./recipes/inference/inference-options.ts";
export { type InferenceResult, InferenceRunner } from "./recipes/inference/inference-runner.ts";
export { normaliseText, type TextNormalisation } from "./recipes/inference/normalise-text.ts";
export type { OutputEntry } from "./recipes/inference/output-line.ts";
export type { PairOptions, ScoreSource, TextSource } from "./recipes/inference/pair-texts.ts";
export { readOutputScp } from "./recipes/inference/read-output-scp.ts";
export { type ScoreOptions, score } from "./recipes/inference/score.ts";
export type { ErrorCounts, Score, UtteranceScore } from "./recipes/inference/score-result.ts";
export { BaseMetric } from "./recipes/metrics/base-metric.ts";
export { CER, type ErrorRateOptions, WER } from "./recipes/metrics/error-rates.ts";
export { type MeasureConfig, type Metrics, measure } from "./recipes/metrics/measure.ts";
export {
  audioRules,
  type BrokenRule,
  type DropRule,
  type MeasuredAudio,
  type MeasuredText,
  textRules,
} from "./recipes/prep/clean/drop-rules.ts";
export type { Cleaner } from "./recipes/prep/clean/make-cleaner.ts";
export {
  type DataDirProblem,
  type ValidateDataDirOptions,
  validateDataDir,
} from "./recipes/prep/kaldi/validate-data-dir.ts";
export type { Extractor } from "./recipes/prep/make-extractor.ts";
export { formatDropTable } from "./recipes/prep/outputs/count-rules.ts";
export type { PrepConfig, PrepSection } from "./recipes/prep/prep-config.ts";
export { type PrepEnv, type PrepParams, PrepProvider } from "./recipes/prep/prep-provider.ts";
export type { DroppedRecord, KeptRecord, PrepResult } from "./recipes/prep/prep-result.ts";
export { PrepRunner } from "./recipes/prep/prep-runner.ts";
export type { PrepStats, PrepSummary, RuleCount } from "./recipes/prep/prep-summary.ts";
export { prepareData } from "./recipes/prep/prepare-data.ts";
export type { Utterance, Utterances } from "./recipes/prep/utterance.ts";
export { type DatasetCard, type DatasetFacts, defaultCard } from "./recipes/share-dataset/dataset-card.ts";
export {
  type SharedDataset,
  type ShareOptions,
  type ShareTarget,
  shareDataset,
} from "./recipes/share-dataset/share-dataset.ts";
export type { HubTarget } from "./recipes/share-dataset/upload-dataset.ts";
export type { DatasetTarget } from "./recipes/utterances/dataset-target.ts";
export type { SpeechAudioOptions, SpeechColumns, SpeechRow } from "./recipes/utterances/speech-row.ts";
export type { ManifestProblem } from "./recipes/xvector/check-manifest.ts";
export { checkXVectors, type SplitCheck, type XVectorCheck } from "./recipes/xvector/check-xvectors.ts";
export { type EqualErrorRate, eer, type TrialScores } from "./recipes/xvector/eer.ts";
export { extractXVectors, type SubmittedSplit, submitXVectors } from "./recipes/xvector/extract-xvectors.ts";
export { type Manifest, type ManifestRow, readManifest } from "./recipes/xvector/manifest.ts";
export type { SpeakerModel } from "./recipes/xvector/model/speaker-model.ts";
export type { OnDevice } from "./recipes/xvector/open-on-device.ts";
export {
  type OpenedSpeakerModel,
  type OpenSpeakerModelOptions,
  openSpeakerModel,
} from "./recipes/xvector/open-speaker-model.ts";
export type { SplitUtterance, SplitUtterances } from "./recipes/xvector/split-utterances.ts";
export type { ModelSection, XVectorConfig, XVectorSection } from "./recipes/xvector/xvector-config.ts";
export { type XVectorEnv, type XVectorParams, XVectorProvider } from "./recipes/xvector/xvector-provider.ts";
export type { XVectorRecord, XVectorResult } from "./recipes/xvector/xvector-result.ts";
export { XVectorRunner } from "./recipes/xvector/xvector-runner.ts";
export type { XVectorSummary } from "./recipes/xvector/xvector-summary.ts";
