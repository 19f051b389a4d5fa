// millrace/formats: the files of NumPy, PyTorch, Kaldi and others. A separate entry, so that a run that writes JSONL does not
// load it.
export type { ByteSource, Bytes } from "./formats/byte-source.ts";
export type { ByteSink } from "./formats/file-sink.ts";
export { type FileSource, openFileSource } from "./formats/file-source.ts";
export {
  bfloat16ToNumber,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
  toFloat32,
} from "./formats/half-floats.ts";
export { type KaldiCmvnStats, kaldiCmvnMatrix, readKaldiCmvn, writeKaldiCmvn } from "./formats/kaldi/cmvn-stats.ts";
export { type EncodedArkEntry, encodeArkEntry, encodeKaldiValue } from "./formats/kaldi/encode-ark-entry.ts";
export type { KaldiRange } from "./formats/kaldi/kaldi-range.ts";
export type { KaldiTextOptions, KaldiValue } from "./formats/kaldi/kaldi-value.ts";
export {
  type ArkWriter,
  type OpenArkWriterOptions,
  openArkWriter,
} from "./formats/kaldi/open-ark-writer.ts";
export { type OpenScpOptions, openScp, type ScpTable } from "./formats/kaldi/open-scp.ts";
export { type ParseScpOptions, parseScp } from "./formats/kaldi/parse-scp.ts";
export { type ArkEntry, readArk } from "./formats/kaldi/read-ark.ts";
export { readArkFile } from "./formats/kaldi/read-ark-file.ts";
export { type ReadKaldiValueOptions, readKaldiValue } from "./formats/kaldi/read-kaldi-value.ts";
export { formatScpLine, type ScpEntry } from "./formats/kaldi/scp-line.ts";
export { hasZstd } from "./formats/lines/compression.ts";
export { encodeJsonLine, parseJsonl } from "./formats/lines/json-lines.ts";
export { readJsonl, writeJsonl } from "./formats/lines/jsonl-file.ts";
export type { LineProblem } from "./formats/lines/line-problems.ts";
export type { Line, LineLimits } from "./formats/lines/line-splitter.ts";
export { type ParseTsvOptions, parseTsv, type TsvRow } from "./formats/lines/parse-tsv.ts";
export { readTextLines } from "./formats/lines/read-text-lines.ts";
export { readTsv, type WriteTsvOptions, writeTsv } from "./formats/lines/tsv-file.ts";
export { type ArrayData, type DType, type NdArray, ndArray } from "./formats/nd-array.ts";
export { decodeNpy } from "./formats/npy/decode-npy.ts";
export { encodeNpy } from "./formats/npy/encode-npy.ts";
export { NpyAppender, type NpyAppenderOptions, type NpyCheckpoint } from "./formats/npy/npy-appender.ts";
export { encodeNpz, type NpzOptions, NpzWriter } from "./formats/npy/npz-writer.ts";
export { decodeNpz, type Npz, openNpz } from "./formats/npy/open-npz.ts";
export { readNpy } from "./formats/npy/read-npy.ts";
export { type NpyHeader, readNpyHeader } from "./formats/npy/read-npy-header.ts";
export type { ParquetRow } from "./formats/parquet/check-row.ts";
export {
  type DatasetCardOptions,
  type DatasetConfig,
  type DatasetSplit,
  datasetCard,
} from "./formats/parquet/dataset-card.ts";
export { encodeParquet, type ParquetOptions } from "./formats/parquet/encode-parquet.ts";
export type { ParquetColumn, ParquetScalar } from "./formats/parquet/parquet-column.ts";
export { type ParquetPart, readParquetFile, writeParquetFile } from "./formats/parquet/parquet-file.ts";
export { type ReadParquetOptions, readParquet } from "./formats/parquet/read-parquet.ts";
export { decodePt } from "./formats/pt/decode-pt.ts";
export { encodePt } from "./formats/pt/encode-pt.ts";
export type { PtDict, PtInput, PtKey, PtValue } from "./formats/pt/pt-value.ts";
export { readPt } from "./formats/pt/read-pt.ts";
export { type ReadScpOptions, readScp } from "./formats/read-scp.ts";
export { type SafeFileNameOptions, safeFileName } from "./formats/safe-file-name.ts";
export { encodeSafetensors, type SafetensorsOptions } from "./formats/safetensors/encode-safetensors.ts";
export type { SafetensorsHeader, TensorInfo } from "./formats/safetensors/read-header.ts";
export { readSafetensors, type Safetensors } from "./formats/safetensors/read-tensor.ts";
export { openSafetensors, writeSafetensorsFile } from "./formats/safetensors/safetensors-file.ts";
export { readTar, type TarEntry } from "./formats/tar/read-tar.ts";
export { type ReadWebDatasetOptions, readWebDataset, type WebDatasetSample } from "./formats/tar/read-web-dataset.ts";
export {
  openWebDatasetWriter,
  readWebDatasetFile,
  type WebDatasetShard,
  type WebDatasetWriter,
  type WebDatasetWriterOptions,
} from "./formats/tar/web-dataset-file.ts";
export { openZip, type ZipArchive, type ZipEntry, type ZipOptions } from "./formats/zip/open-zip.ts";
export { readZipEntry } from "./formats/zip/read-zip-entry.ts";
export { openZipWriter, type ZipEntryOptions, type ZipEntryPlace, type ZipWriter } from "./formats/zip/zip-writer.ts";
export { mergeNpy } from "./merge/merge-npy.ts";
export { mergeNpz } from "./merge/merge-npz.ts";
export { type MergeParquetOptions, mergeParquet } from "./merge/merge-parquet.ts";
export { type MergeSafetensorsOptions, mergeSafetensors } from "./merge/merge-safetensors.ts";
export { type MergeScpOptions, mergeScp } from "./merge/merge-scp.ts";
export { type MergeTsvOptions, mergeTsv } from "./merge/merge-tsv.ts";
export { type MergedCounts, type MergeWebDatasetOptions, mergeWebDataset } from "./merge/merge-web-dataset.ts";
export { type ArkScpWriter, type ArkScpWriterOptions, arkScpWriter } from "./writers/ark-scp-writer.ts";
export {
  type ArrayCodec,
  type ArrayFilesOptions,
  type ArrayFilesWriter,
  filesScpWriter,
} from "./writers/array-files-writer.ts";
export type { ArrayRecord } from "./writers/array-record.ts";
export { npyScpWriter } from "./writers/npy-scp-writer.ts";
export { type NpyRowsWriter, type NpyWriterOptions, npyWriter } from "./writers/npy-writer.ts";
export { type NpzShardWriter, type NpzWriterOptions, npzWriter } from "./writers/npz-writer.ts";
export { type ParquetShardWriter, type ParquetWriterOptions, parquetWriter } from "./writers/parquet-writer.ts";
export { ptScpWriter } from "./writers/pt-scp-writer.ts";
export {
  type SafetensorsShardWriter,
  type SafetensorsWriterOptions,
  safetensorsWriter,
} from "./writers/safetensors-writer.ts";
export { type TsvWriterOptions, tsvWriter } from "./writers/tsv-writer.ts";
export {
  type WebDatasetShardOptions,
  type WebDatasetShardWriter,
  webDatasetWriter,
} from "./writers/web-dataset-writer.ts";
