import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** What goes into an embedding model of SpeechBrain. */
export interface EmbeddingInput {
  /** [batch, time, feature]. */
  readonly feats: Value;
  /** [batch]: the share of the frames that belongs to each utterance. */
  readonly lengths: Value;
}

/** An embedding model of SpeechBrain as its settings describe it. */
export interface EmbeddingModel {
  readonly architecture: string;
  /** Features of a frame. */
  readonly inputs: number;
  /** Numbers of a vector. */
  readonly outputs: number;
  /** It cannot process fewer. */
  readonly minFrames: number;
  /** The vectors, [batch, outputs]. */
  build(model: Module, input: EmbeddingInput): Value;
}
