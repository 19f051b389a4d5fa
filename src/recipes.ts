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
