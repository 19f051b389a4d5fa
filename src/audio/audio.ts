import type { OutputOptions } from "../input/output-limit.ts";

/**
 * Where audio comes from: a path, a `file:` URL, bytes, a `Blob`, or (with `remote: true`) an address. Only the parts that are
 * needed are read.
 */
export type AudioFile = string | URL | Uint8Array | Blob;

/** What `readAudio` takes: also a stream of bytes, which is read to its end before it is decoded. */
export type AudioInput = AudioFile | ReadableStream<Uint8Array>;

/** A problem that did not stop the reader, so that a program can count such files of a corpus. */
export interface AudioWarning {
  /**
   * `odd_length`: an incomplete last frame was dropped. `truncated`: the file is shorter than announced. `corrupt`:
   * damaged parts were skipped. `past_end`: the requested segment reaches beyond the end.
   */
  readonly kind: "odd_length" | "truncated" | "corrupt" | "past_end";
  readonly message: string;
}

/** Information from the file's headers, read from a few kilobytes. */
export interface AudioInfo {
  /** The container: `wav`, `w64`, `aiff`, `au`, `caf`, `sphere`, `flac`, `ogg`, `mp3`, `mp4`, `matroska`, … */
  readonly format: string;
  /** The encoding of its samples: `pcm_s16le`, `pcm_f32le`, `mulaw`, `ima_adpcm`, `flac`, `vorbis`, `opus`, `mp3`, … */
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Samples per channel; undefined if only decoding can find out. */
  readonly frames: number | undefined;
  readonly durationSeconds: number | undefined;
  /** False if `frames` is estimated from a bit rate, or unknown. */
  readonly isExact: boolean;
}

/** Samples of a file: full scale is 1, and float files may exceed it. */
export interface Audio<Samples = Float32Array> {
  readonly samples: Samples;
  /** The rate of `samples`, after resampling. */
  readonly sampleRate: number;
  /** Number of channels of the file, independent of the chosen channel. */
  readonly channels: number;
  readonly durationSeconds: number;
  readonly format: string;
  readonly codec: string;
  /** The rate of the file, before resampling. */
  readonly sourceSampleRate: number;
  readonly warnings: readonly AudioWarning[];
}

/** Which part of a file is read, and how. */
export interface ReadAudioOptions extends OutputOptions {
  /** The mean of all channels (default), one channel counted from 0, or all, each in its own array. */
  readonly channel?: "mix" | "all" | number;
  /** Seconds to skip at the start. Default 0. */
  readonly offset?: number;
  /** Maximum seconds to read. Default: to the end. */
  readonly duration?: number;
  /** Resample to this rate. Default: the rate of the file. */
  readonly sampleRate?: number;
  /** The filter of the resampler, as in `resample`. Default `standard`. */
  readonly quality?: ResampleQuality;
  /** If a file is shorter than its header announces: an error (default), or read what is there with a warning. */
  readonly truncated?: "fail" | "keep";
  /**
   * A file with more seconds to read is refused. Default: limited by `maxOutputBytes`, which does not apply if only
   * `maxSeconds` is given.
   */
  readonly maxSeconds?: number;
  /** What error messages call the audio when it has no path. Default: the name of a `File`, or `the audio`. */
  readonly name?: string;
  /**
   * `from` may be an address (`https://`, `s3://`, `hf://`), of which parts are fetched and kept in the cache of datasets. Default:
   * false, because a path may come from a file that others have written.
   */
  readonly remote?: boolean;
  /**
   * Returns the array for the file's samples, with at least `length` elements; called again if the file has more than
   * announced. Default: a new array. Reusing one array for many files avoids almost all garbage collection. Not with
   * `channel: "all"`; resampling always returns a new array.
   */
  readonly allocate?: (length: number) => Float32Array;
}

/**
 * `standard` is torchaudio's default (sinc with a Hann window, width 6); `best` is its "kaiser_best" (width 64, ten
 * times the work).
 */
export type ResampleQuality = "standard" | "best";

/** Options of {@link probeAudio}. */
export interface ProbeAudioOptions {
  /** What error messages call the audio when it has no path. Default: the name of a `File`, or `the audio`. */
  readonly name?: string;
  /**
   * `from` may be an address (`https://`, `s3://`, `hf://`), of which parts are fetched and kept in the cache of datasets. Default:
   * false, because a path may come from a file that others have written.
   */
  readonly remote?: boolean;
}
