import type { CheckpointFiles, SpeakerCheckpoint } from "../../../speech.ts";

/** A model on this machine. */
export interface FoundModel {
  /** The ONNX file, or the weights of a checkpoint: what messages name. */
  readonly path: string;
  /** Of the file; of a checkpoint, of all files that it is made of. */
  readonly sha256: string;
  /** Undefined for an ONNX file. */
  readonly converted?: ConvertedModel;
}

/** A checkpoint that was converted to ONNX. */
interface ConvertedModel {
  readonly checkpoint: SpeakerCheckpoint;
  /** What ONNX Runtime loads: a file, or bytes if no file could be written. */
  readonly graph: string | Uint8Array;
}

/** The files of a model: one of ONNX, or those of a checkpoint. */
export type ModelFiles = { readonly onnx: string } | CheckpointFiles;
