/** Something a reader went on after, so that whoever plans a corpus can count it. */
export interface AudioWarning {
  /** `odd_length`: bytes of half a frame dropped. `truncated`: less there than announced. `corrupt`: damaged parts left
   *  out. `past_end`: the segment asked for reaches beyond the end. */
  readonly kind: "odd_length" | "truncated" | "corrupt" | "past_end";
  readonly message: string;
}

/** What a file says about itself, read from a few kilobytes. */
export interface AudioInfo {
  /** The container: `wav`, `w64`, `aiff`, `au`, `caf`, `sphere`, `flac`, `ogg`, `mp3`, `mp4`, `matroska`, … */
  readonly format: string;
  /** How samples are stored in it: `pcm_s16le`, `pcm_f32le`, `mulaw`, `ima_adpcm`, `flac`, `vorbis`, `opus`, `mp3`, … */
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Samples of one channel; undefined where only decoding tells. */
  readonly frames: number | undefined;
  readonly durationSeconds: number | undefined;
  /** False where `frames` is estimated from a bit rate, or unknown. */
  readonly isExact: boolean;
}

/** Samples of a file: full scale is 1, and float files may go beyond it. */
export interface Audio<Samples = Float32Array> {
  readonly samples: Samples;
  /** Of `samples`, so after resampling. */
  readonly sampleRate: number;
  /** Of the file, whatever was chosen of it. */
  readonly channels: number;
  readonly durationSeconds: number;
  readonly format: string;
  readonly codec: string;
  /** Of the file, before resampling. */
  readonly sourceSampleRate: number;
  readonly warnings: readonly AudioWarning[];
}

/** Which part of a file is read, and what its samples become. */
export interface ReadAudioOptions {
  /** The mean of all channels (default), one of them counted from 0, or all, each in an array of its own. */
  readonly channel?: "mix" | "all" | number;
  /** Seconds to leave out at the start. Default 0. */
  readonly offset?: number;
  /** Seconds to read at most. Default: to the end. */
  readonly duration?: number;
  /** Resample to this rate. Default: the rate of the file. */
  readonly sampleRate?: number;
  /** The filter of the resampler, as in `resample`. Default `standard`. */
  readonly quality?: ResampleQuality;
  /** A file that holds less than its header announces: an error (default), or read what is there with a warning. */
  readonly truncated?: "fail" | "keep";
  /** What error messages call the audio when it comes as bytes. */
  readonly name?: string;
  /**
   * Gives the array that the file's samples are put into, of at least `length`; asked again where more come than the file
   * had announced. Default: a new one. With an array that is used again and again for file after file, there is next to no
   * garbage to collect. Not with `channel: "all"`; what is resampled is a new array all the same.
   */
  readonly allocate?: (length: number) => Float32Array;
}

/** `standard` is torchaudio's default (sinc with a Hann window, width 6); `best` its "kaiser_best" (width 64, ten times the work). */
export type ResampleQuality = "standard" | "best";

/** How `probeAudio` speaks of what it looks at. */
export interface ProbeAudioOptions {
  /** What error messages call the audio when it comes as bytes. */
  readonly name?: string;
}
