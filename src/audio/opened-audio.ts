import type { AudioInfo, AudioWarning } from "./audio.ts";
import type { SampleSink } from "./sample-sink.ts";

/** A file whose header has been read and found sound; samples are decoded when asked for. */
export interface OpenedAudio {
  readonly info: AudioInfo;
  /** What was found in the header; what is found while decoding goes to the sink. */
  readonly warnings: readonly AudioWarning[];
  /** Hands samples to the sink, in order, until it is full or the file ends. */
  decode(sink: SampleSink): Promise<void>;
}

export interface OpenOptions {
  /** Whether a file that ends too early is an error. */
  readonly truncated: "fail" | "keep";
}
