import type { AudioInfo, AudioWarning } from "./audio.ts";
import type { SampleSink } from "./sample-sink.ts";

/** A file whose header is valid; samples are decoded on demand. */
export interface OpenedAudio {
  readonly info: AudioInfo;
  /** Warnings about the header; those of decoding go to the sink. */
  readonly warnings: readonly AudioWarning[];
  /** Passes samples to the sink, in order, until it is full or the file ends. */
  decode(sink: SampleSink): Promise<void>;
}

export interface OpenOptions {
  /** Whether a file that ends too early is an error. */
  readonly truncated: "fail" | "keep";
}
