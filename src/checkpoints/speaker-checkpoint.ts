/** Features that are computed before a model: the options of a front end of `millrace/speech`. */
export interface CheckpointFeatures {
  readonly frontend: "speechbrain_fbank";
  readonly options: Readonly<Record<string, number | string | null>>;
}

/** A checkpoint of a speaker model, as its configuration describes it. Its weights are not read yet. */
export interface SpeakerCheckpoint {
  readonly toolkit: "speechbrain" | "espnet" | "rawnet";
  /** The classes that it is made of, for people. */
  readonly architecture: string;
  readonly sampleRate: number;
  /** The features that its graph takes; undefined if it takes the waveform. */
  readonly features: CheckpointFeatures | undefined;
  /** Frames of the features, or samples of the waveform, that its graph needs. */
  readonly minLength: number;
  /** Numbers of a vector. */
  readonly dimension: number;
  /**
   * The model as the bytes of an ONNX file. Inputs: `feats` [batch, time, feature] and `lens` [batch], the relative
   * lengths; or `wave` [batch, samples]. Output: `embs` [batch, dimension]. Every name and shape of the weights is
   * compared with the configuration; missing, unknown and other ones are listed in the error.
   */
  convert(): Buffer;
}

/** The files of a checkpoint. */
export type CheckpointFiles =
  | {
      readonly toolkit: "speechbrain";
      readonly config: string;
      readonly weights: string;
      /** The statistics that vectors are normalised with, as `normalize=True` of SpeechBrain does. */
      readonly statistics?: string;
    }
  | { readonly toolkit: "espnet"; readonly config: string; readonly weights: string }
  | { readonly toolkit: "rawnet"; readonly weights: string };
