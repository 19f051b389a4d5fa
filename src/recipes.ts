// millrace/recipes: what people of this field do most, written against the public API alone.
export { type Alignment, alignTokens } from "./recipes/inference/align-tokens.ts";
export type { OutputFn, OutputInput } from "./recipes/inference/call-model.ts";
export { formatScore, scoreTsv } from "./recipes/inference/format-score.ts";
export type {
  ArtifactOptions,
  CheckedInferenceOptions,
  InferenceOptions,
} from "./recipes/inference/inference-options.ts";
export { type InferenceResult, InferenceRunner } from "./recipes/inference/inference-runner.ts";
export { normaliseText, type TextNormalisation } from "./recipes/inference/normalise-text.ts";
export type { PairOptions, ScoreSource, TextSource } from "./recipes/inference/pair-texts.ts";
export { readScp } from "./recipes/inference/read-scp.ts";
export { type ScoreOptions, score } from "./recipes/inference/score.ts";
export type { ErrorCounts, Score, UtteranceScore } from "./recipes/inference/score-result.ts";
export { parseScpLine, type ScpEntry, scpLine } from "./recipes/inference/scp-line.ts";
export { type DatasetCard, type DatasetFacts, defaultCard } from "./recipes/share-dataset/dataset-card.ts";
export {
  type SharedDataset,
  type ShareOptions,
  type ShareTarget,
  shareDataset,
} from "./recipes/share-dataset/share-dataset.ts";
export type { HubTarget } from "./recipes/share-dataset/upload-dataset.ts";
export type { ManifestProblem } from "./recipes/xvector/check-manifest.ts";
export { checkXVectors, type SplitCheck, type XVectorCheck } from "./recipes/xvector/check-xvectors.ts";
export { type EqualErrorRate, eer, type TrialScores } from "./recipes/xvector/eer.ts";
export { extractXVectors } from "./recipes/xvector/extract-xvectors.ts";
export type { ModelSection, XVectorConfig, XVectorSection } from "./recipes/xvector/xvector-config.ts";
export { type XVectorEnv, type XVectorParams, XVectorProvider } from "./recipes/xvector/xvector-provider.ts";
export type { XVectorRecord, XVectorResult } from "./recipes/xvector/xvector-result.ts";
export { XVectorRunner } from "./recipes/xvector/xvector-runner.ts";
export type { XVectorSummary } from "./recipes/xvector/xvector-summary.ts";
