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
// formats
export { type ByteSource, type Bytes, toByteSource } from "./formats/byte-source.ts";
export type { ByteSink } from "./formats/file-sink.ts";
export { type FileSource, openFileSource } from "./formats/file-source.ts";
export { type EncodedArkEntry, encodeArkEntry, encodeKaldiValue } from "./formats/kaldi/encode-ark-entry.ts";
export { type KaldiRange, parseKaldiRange } from "./formats/kaldi/kaldi-range.ts";
export type { KaldiTextOptions, KaldiValue } from "./formats/kaldi/kaldi-value.ts";
export {
  type ArkWriter,
  type OpenArkWriterOptions,
  openArkWriter,
  pathInScp,
} from "./formats/kaldi/open-ark-writer.ts";
export { type OpenScpOptions, openScp, type ScpTable } from "./formats/kaldi/open-scp.ts";
export { type ParseScpOptions, parseScp } from "./formats/kaldi/parse-scp.ts";
export { type ArkEntry, readArk } from "./formats/kaldi/read-ark.ts";
export { readArkFile } from "./formats/kaldi/read-ark-file.ts";
export { type ReadKaldiValueOptions, readKaldiValue } from "./formats/kaldi/read-kaldi-value.ts";
export { formatScpLine, parseScpLine, type ScpEntry } from "./formats/kaldi/scp-line.ts";
export { type Compression, hasZstd } from "./formats/lines/compression.ts";
export { formatTsvHeader, formatTsvRow } from "./formats/lines/format-tsv.ts";
export { encodeJsonLine, parseJsonl } from "./formats/lines/json-lines.ts";
export { readJsonl, writeJsonl } from "./formats/lines/jsonl-file.ts";
export type { LineProblem } from "./formats/lines/line-problems.ts";
export type { Line, LineLimits } from "./formats/lines/line-splitter.ts";
export { type ParseTsvOptions, parseTsv, type TsvRow } from "./formats/lines/parse-tsv.ts";
export { readTextLines } from "./formats/lines/read-text-lines.ts";
export { readTsv, type WriteTsvOptions, writeTsv } from "./formats/lines/tsv-file.ts";
export { type ArrayData, type DType, type NdArray, ndArray } from "./formats/nd-array.ts";
export type { ParquetRow } from "./formats/parquet/check-row.ts";
export {
  type DatasetCardOptions,
  type DatasetConfig,
  type DatasetSplit,
  datasetCard,
} from "./formats/parquet/dataset-card.ts";
export {
  encodeParquet,
  makeParquetEncoder,
  type ParquetEncoder,
  type ParquetOptions,
} from "./formats/parquet/encode-parquet.ts";
export type { ParquetColumn, ParquetScalar } from "./formats/parquet/parquet-column.ts";
export { type ParquetPart, readParquetFile, writeParquetFile } from "./formats/parquet/parquet-file.ts";
export { type ReadParquetOptions, readParquet } from "./formats/parquet/read-parquet.ts";
export { encodeSafetensors, type SafetensorsOptions } from "./formats/safetensors/encode-safetensors.ts";
export type { SafetensorsHeader, TensorInfo } from "./formats/safetensors/read-header.ts";
export { readSafetensors, type Safetensors } from "./formats/safetensors/read-tensor.ts";
export { openSafetensors, writeSafetensorsFile } from "./formats/safetensors/safetensors-file.ts";
export { encodeTarEntry, tarEnd } from "./formats/tar/encode-tar-entry.ts";
export { encodeWebDatasetSample } from "./formats/tar/encode-web-dataset-sample.ts";
export { readTar, type TarEntry } from "./formats/tar/read-tar.ts";
export { type ReadWebDatasetOptions, readWebDataset, type WebDatasetSample } from "./formats/tar/read-web-dataset.ts";
export {
  openWebDatasetWriter,
  readWebDatasetFile,
  type WebDatasetShard,
  type WebDatasetWriter,
  type WebDatasetWriterOptions,
} from "./formats/tar/web-dataset-file.ts";
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
export { BaseRunner, type BatchRunnerClass, type RunnerClass } from "./runner/base-runner.ts";
export type { RunnerOptions } from "./runner/runner-options.ts";
export { type ErrorCode, MillraceError } from "./shared/errors.ts";
export { isMainModule } from "./shared/in-worker.ts";
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
