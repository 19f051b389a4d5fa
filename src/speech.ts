// millrace/speech: audio files to samples, samples to features, models. A separate entry, so that a run without audio does not
// load it.
export type {
  Audio,
  AudioFile,
  AudioInfo,
  AudioInput,
  AudioWarning,
  ProbeAudioOptions,
  ReadAudioOptions,
  ResampleQuality,
} from "./audio/audio.ts";
export { type EncodeWavOptions, encodeWav } from "./audio/encode-wav.ts";
export { probeAudio, readAudio } from "./audio/lazy-audio.ts";
export { type ResampleOptions, resample } from "./audio/resample.ts";
export { converterVersion, describeCheckpoint } from "./checkpoints/describe-checkpoint.ts";
export {
  type FindCheckpointOptions,
  findCheckpoint,
  type GetFile,
  statisticsFile,
} from "./checkpoints/find-checkpoint.ts";
export type { CheckpointFeatures, CheckpointFiles, SpeakerCheckpoint } from "./checkpoints/speaker-checkpoint.ts";
export { addDeltas, type DeltaOptions } from "./features/add-deltas.ts";
export type { FeatureMatrix } from "./features/feature-matrix.ts";
export { makeRealFft, type RealFft } from "./features/fft/real-fft.ts";
export { fbank } from "./features/kaldi/fbank.ts";
export type { FbankOptions, KaldiFrameOptions, KaldiWindow, MfccOptions } from "./features/kaldi/kaldi-options.ts";
export { mfcc } from "./features/kaldi/mfcc.ts";
export { type MelMfccOptions, melMfcc } from "./features/mel/mel-mfcc.ts";
export { type MelOptions, type SpectrumWindow, torchaudioMel } from "./features/mel/mel-options.ts";
export { melSpectrogram } from "./features/mel/mel-spectrogram.ts";
export { type DecibelOptions, powerToDb } from "./features/mel/power-to-db.ts";
export { type SpeechbrainFbankOptions, speechbrainFbank } from "./features/mel/speechbrain-fbank.ts";
export { cmvn, type SentenceCmvnOptions } from "./features/normalise/cmvn.ts";
export { type CmvnStats, globalCmvn } from "./features/normalise/global-cmvn.ts";
export type { CmvnOptions } from "./features/normalise/normalise-by.ts";
export { type SlidingCmvnOptions, slidingCmvn } from "./features/normalise/sliding-cmvn.ts";
export { type SampleRange, sampleRange } from "./features/sample-range.ts";
export {
  addFrames,
  type FrameSums,
  frameTotals,
  makeFrameSums,
  mergeFrameSums,
} from "./features/statistics/frame-sums.ts";
export { type EnergyVadOptions, energyVad } from "./features/vad/energy-vad.ts";
export { type FrameLogEnergyOptions, frameLogEnergy } from "./features/vad/frame-log-energy.ts";
export { type SileroVadOptions, sileroVad } from "./features/vad/silero-vad.ts";
export { type SpeechSegment, type SpeechSegmentOptions, speechSegments } from "./features/vad/speech-segments.ts";
export { type LoadOnnxOptions, loadOnnx, type OnnxModel, type OnnxValue } from "./models/load-onnx.ts";
export {
  encodeOnnx,
  type OnnxAttribute,
  type OnnxConstant,
  type OnnxGraph,
  type OnnxGraphValue,
  type OnnxNode,
} from "./models/onnx/encode-onnx.ts";
