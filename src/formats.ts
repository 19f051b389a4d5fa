// millrace/formats: the files of NumPy, PyTorch, Kaldi and others. Apart from the rest, so that a run that writes JSONL does not
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
export { type ArrayData, type DType, type NdArray, ndArray } from "./formats/nd-array.ts";
export { decodeNpy } from "./formats/npy/decode-npy.ts";
export { encodeNpy } from "./formats/npy/encode-npy.ts";
export { NpyAppender, type NpyAppenderOptions, type NpyCheckpoint } from "./formats/npy/npy-appender.ts";
export { encodeNpz, NpzEncoder, type NpzOptions, NpzWriter } from "./formats/npy/npz-writer.ts";
export { decodeNpz, type Npz, openNpz } from "./formats/npy/open-npz.ts";
export { readNpy } from "./formats/npy/read-npy.ts";
export { type NpyHeader, readNpyHeader } from "./formats/npy/read-npy-header.ts";
export { decodePt } from "./formats/pt/decode-pt.ts";
export { encodePt } from "./formats/pt/encode-pt.ts";
export type { PtDict, PtInput, PtKey, PtValue } from "./formats/pt/pt-value.ts";
export { readPt } from "./formats/pt/read-pt.ts";
export { readScp } from "./formats/read-scp.ts";
export { type SafeFileNameOptions, safeFileName } from "./formats/safe-file-name.ts";
export { openZip, type ZipArchive, type ZipEntry, type ZipOptions } from "./formats/zip/open-zip.ts";
export { readZipEntry } from "./formats/zip/read-zip-entry.ts";
export { resumeZip } from "./formats/zip/resume-zip.ts";
export type { WrittenEntry } from "./formats/zip/zip-headers.ts";
export { type ZipEntryOptions, type ZipEntryPlace, type ZipPrefix, ZipWriter } from "./formats/zip/zip-writer.ts";
export { mergeNpy } from "./merge/merge-npy.ts";
export { mergeNpz } from "./merge/merge-npz.ts";
export { type MergeScpOptions, mergeScp } from "./merge/merge-scp.ts";
export type { ArrayFilesOptions, ArrayFilesWriter } from "./writers/array-files-writer.ts";
export { type ArrayRecord, checkListedId } from "./writers/array-record.ts";
export { npyScpWriter } from "./writers/npy-scp-writer.ts";
export { type NpyRowsWriter, type NpyWriterOptions, npyWriter } from "./writers/npy-writer.ts";
export { type NpzShardWriter, type NpzWriterOptions, npzWriter } from "./writers/npz-writer.ts";
export { ptScpWriter } from "./writers/pt-scp-writer.ts";
