import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** A front end: samples → features. */
export interface FrontEnd {
  /** Features of a frame. */
  readonly outputs: number;
  /** The samples that this many frames need. */
  samplesFor(frames: number): number;
  /** The frames that ESPnet counts, as one integer. Where it is missing: those of the features. */
  count?(module: Module, wave: Value): Value;
  /** [batch, samples] → [batch, feature, time]. */
  build(module: Module, wave: Value): Value;
}

/** An encoder: features → frames of the utterance, [batch, channel, time] both. */
export interface Encoder {
  readonly outputs: number;
  /** Frames of the front end that it needs. */
  readonly minFrames: number;
  /** It may give more frames than it gets. The pooling does not use these. */
  readonly lengthens?: boolean;
  build(module: Module, feats: Value): Value;
}

/** What a pooling gets. */
interface Pooled {
  readonly frames: Value;
  /** The number of frames of the front end. ESPnet divides by it, also where the encoder has left fewer. */
  readonly count: Value;
}

/** A pooling: frames → one vector, [batch, outputs]. */
export interface Pooling {
  readonly outputs: number;
  build(module: Module, pooled: Pooled): Value;
}

/** A projector: [batch, inputs] → [batch, outputs]. */
export interface Projector {
  readonly outputs: number;
  build(module: Module, x: Value): Value;
}
