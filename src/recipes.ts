// millrace/recipes: what people of this field do most, written against the public API alone.
export { type Alignment, alignTokens } from "./recipes/inference/align-tokens.ts";
export type { ManifestProblem } from "./recipes/xvector/check-manifest.ts";
export { checkXVectors, type SplitCheck, type XVectorCheck } from "./recipes/xvector/check-xvectors.ts";
export { type EqualErrorRate, eer, type TrialScores } from "./recipes/xvector/eer.ts";
export { extractXVectors } from "./recipes/xvector/extract-xvectors.ts";
export type { ModelSection, XVectorConfig, XVectorSection } from "./recipes/xvector/xvector-config.ts";
export { type XVectorEnv, type XVectorParams, XVectorProvider } from "./recipes/xvector/xvector-provider.ts";
export type { XVectorRecord, XVectorResult } from "./recipes/xvector/xvector-result.ts";
export { XVectorRunner } from "./recipes/xvector/xvector-runner.ts";
export type { XVectorSummary } from "./recipes/xvector/xvector-summary.ts";
