// millrace/recipes: what people of this field do most, written against the public API alone.

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
export { CollectStatsRunner, type CollectStatsRunnerOptions } from "./recipes/collect-stats/collect-stats-runner.ts";
export { type CommonCollateOptions, commonCollateFn } from "./recipes/collect-stats/common-collate.ts";
export { readCmvnStats, writeGlobalCmvn } from "./recipes/collect-stats/global-cmvn-file.ts";
export type { CollectedStats } from "./recipes/collect-stats/merge-stats.ts";
export { type Alignment, alignTokens } from "./recipes/inference/align-tokens.ts";
export {
  audioRules,
  type DropRule,
  type MeasuredAudio,
  type MeasuredText,
  textRules,
  type Verdict,
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
export type { Utterance } from "./recipes/prep/utterance.ts";
