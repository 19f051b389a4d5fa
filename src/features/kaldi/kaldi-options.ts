import { MillraceError } from "../../errors/errors.ts";
import { checkFeatureOptions, flag, number, oneOf, whole } from "../check-options.ts";

/**
 * Options of both fbank and MFCC. Names and defaults are Kaldi's, except for `dither`. Lengths are in ms, frequencies
 * in Hz.
 */
export interface KaldiFrameOptions {
  /** Samples per second. Default: 16000. */
  readonly sampleFrequency?: number | undefined;
  /**
   * The scale of the samples: `unit` is -1 to 1, as decoders return them; they are multiplied by 32768, because Kaldi's
   * energies and floors are for 16-bit integers. `int16` is for floats that have that scale already. Default: `unit`.
   */
  readonly sampleRange?: "unit" | "int16" | undefined;
  /** Default: 25. */
  readonly frameLength?: number | undefined;
  /** Default: 10. */
  readonly frameShift?: number | undefined;
  /** Noise in steps of 16-bit integers. Default: 0. Kaldi's default is 1, which makes every run different. */
  readonly dither?: number | undefined;
  /** With `dither`: the same seed gives the same noise. Default: 0. */
  readonly ditherSeed?: number | undefined;
  /** Default: 0.97. */
  readonly preemphasisCoefficient?: number | undefined;
  /** Subtracts the mean of each frame. Default: true. */
  readonly removeDcOffset?: boolean | undefined;
  /** Default: `povey`. */
  readonly windowType?: KaldiWindow | undefined;
  /** Parameter of the window `blackman`. Default: 0.42. */
  readonly blackmanCoeff?: number | undefined;
  /** Pads frames to a power of two. Default: true. */
  readonly roundToPowerOfTwo?: boolean | undefined;
  /**
   * Only frames that are completely inside the samples; otherwise a frame every `frameShift`, mirrored at the ends.
   * Default: true.
   */
  readonly snipEdges?: boolean | undefined;
  /** Default: 23. */
  readonly numMelBins?: number | undefined;
  /** Default: 20. */
  readonly lowFreq?: number | undefined;
  /** 0 or less is relative to half the sample frequency. Default: 0. */
  readonly highFreq?: number | undefined;
  /** Warps the frequencies for a vocal tract length. Default: 1, no warping. */
  readonly vtlnWarp?: number | undefined;
  /** Default: 100. */
  readonly vtlnLow?: number | undefined;
  /** Below 0 is relative to half the sample frequency. Default: -500. */
  readonly vtlnHigh?: number | undefined;
  /** Takes the energy of a frame before pre-emphasis and window, not after. Default: true. */
  readonly rawEnergy?: boolean | undefined;
  /** Minimum energy; 0 for no floor. Default: 0. */
  readonly energyFloor?: number | undefined;
  /** Puts the energy (or the zeroth cepstrum) last, as HTK does. Default: false. */
  readonly htkCompat?: boolean | undefined;
  /** HTK's filters without their first weight, and energies of at least 1. Default: false. */
  readonly htkMode?: boolean | undefined;
  /**
   * `kaldi` computes in the order and with the tables of Kaldi, so that even bins that contain only rounding errors are
   * equal. `plain` has a more exact transform and is closer to torchaudio in such bins. Default: `kaldi`.
   */
  readonly rounding?: "kaldi" | "plain" | undefined;
  /** Subtracts the mean over all frames from each column. Default: false. */
  readonly subtractMean?: boolean | undefined;
}

/** Kaldi's windows, by Kaldi's names. */
export type KaldiWindow = "povey" | "hamming" | "hanning" | "sine" | "rectangular" | "blackman";

/** Options of {@link fbank}: Kaldi's `compute-fbank-feats`. */
export interface FbankOptions extends KaldiFrameOptions {
  /** Adds a first column with the logarithm of the energy. Default: false. */
  readonly useEnergy?: boolean | undefined;
  /** Default: true. */
  readonly useLogFbank?: boolean | undefined;
  /** Applies the filters to powers, not magnitudes. Default: true. */
  readonly usePower?: boolean | undefined;
}

/** Options of {@link mfcc}: Kaldi's `compute-mfcc-feats`. */
export interface MfccOptions extends KaldiFrameOptions {
  /** Replaces the zeroth cepstrum with the logarithm of the energy. Default: true. */
  readonly useEnergy?: boolean | undefined;
  /** Default: 13. */
  readonly numCeps?: number | undefined;
  /** 0 for none. Default: 22. */
  readonly cepstralLifter?: number | undefined;
}

type Given<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };
export type CheckedKaldi = Given<KaldiFrameOptions>;
export type CheckedFbank = Given<FbankOptions>;
export type CheckedMfcc = Given<MfccOptions>;

const frameRules = {
  sampleFrequency: number(16_000, { min: 100, max: 10_000_000 }),
  sampleRange: oneOf(["unit", "int16"], "unit"),
  frameLength: number(25, { above: 0, max: 10_000 }),
  frameShift: number(10, { above: 0, max: 10_000 }),
  dither: number(0, { min: 0 }),
  ditherSeed: whole(0, { min: 0 }),
  preemphasisCoefficient: number(0.97, { min: 0, max: 1 }),
  removeDcOffset: flag(true),
  windowType: oneOf(["povey", "hamming", "hanning", "sine", "rectangular", "blackman"], "povey"),
  blackmanCoeff: number(0.42),
  roundToPowerOfTwo: flag(true),
  snipEdges: flag(true),
  numMelBins: whole(23, { min: 3, max: 4096 }),
  lowFreq: number(20, { min: 0 }),
  highFreq: number(0),
  vtlnWarp: number(1, { min: 0.1, max: 10 }),
  vtlnLow: number(100, { min: 0 }),
  vtlnHigh: number(-500),
  rawEnergy: flag(true),
  energyFloor: number(0, { min: 0 }),
  htkCompat: flag(false),
  htkMode: flag(false),
  rounding: oneOf(["kaldi", "plain"], "kaldi"),
  subtractMean: flag(false),
};

/** Checks the options of fbank. */
export function checkFbankOptions(options: FbankOptions, what = "fbank"): CheckedFbank {
  const rules = { ...frameRules, useEnergy: flag(false), useLogFbank: flag(true), usePower: flag(true) };
  return checkRelations(what, checkFeatureOptions(what, options, rules));
}

/** Checks the options of MFCC. */
export function checkMfccOptions(options: MfccOptions): CheckedMfcc {
  const rules = {
    ...frameRules,
    useEnergy: flag(true),
    numCeps: whole(13, { min: 1, max: 4096 }),
    cepstralLifter: number(22, { min: 0 }),
  };
  const checked = checkRelations("mfcc", checkFeatureOptions("mfcc", options, rules));
  if (checked.numCeps > checked.numMelBins)
    throw new MillraceError("BAD_OPTION", `mfcc: ${checked.numCeps} cepstra of ${checked.numMelBins} mel bins.`, {
      hint: "Raise numMelBins or lower numCeps: there are at most as many cepstra as bins.",
    });
  return checked;
}

function checkRelations<T extends CheckedKaldi>(what: string, options: T): T {
  const nyquist = options.sampleFrequency / 2;
  const high = highFrequency(options);
  if (options.lowFreq >= high || high > nyquist)
    throw new MillraceError(
      "BAD_OPTION",
      `${what}: mel bins from ${options.lowFreq} to ${high} Hz at ${options.sampleFrequency} samples per second.`,
      { hint: `lowFreq has to be below highFreq, and highFreq at most ${nyquist} (0 or less counts from there).` },
    );
  if (samplesOf(options, options.frameLength) < 2 || samplesOf(options, options.frameShift) < 1)
    throw new MillraceError(
      "BAD_OPTION",
      `${what}: frames of ${options.frameLength} ms every ${options.frameShift} ms have no samples.`,
      { hint: "Both are in milliseconds: Kaldi's own are 25 and 10." },
    );
  const [vtlnLow, vtlnHigh] = vtlnRange(options);
  if (options.vtlnWarp !== 1 && !(options.lowFreq <= vtlnLow && vtlnLow < vtlnHigh && vtlnHigh <= high))
    throw new MillraceError(
      "BAD_OPTION",
      `${what}: warping from ${vtlnLow} to ${vtlnHigh} Hz with bins from ${options.lowFreq} to ${high} Hz.`,
      {
        hint: "vtlnLow and vtlnHigh have to lie inside lowFreq and highFreq.",
      },
    );
  return options;
}

/** The upper end of the bins: given from 0 Hz or from half the sample frequency. */
export function highFrequency({ highFreq, sampleFrequency }: CheckedKaldi): number {
  return highFreq > 0 ? highFreq : sampleFrequency / 2 + highFreq;
}

/** The range of frequencies in which a warp is linear. */
export function vtlnRange({ vtlnLow, vtlnHigh, sampleFrequency }: CheckedKaldi): [low: number, high: number] {
  return [vtlnLow, vtlnHigh < 0 ? vtlnHigh + sampleFrequency / 2 : vtlnHigh];
}

/** Milliseconds as samples, rounded down as in Kaldi. */
export function samplesOf({ sampleFrequency }: CheckedKaldi, ms: number): number {
  return Math.trunc(sampleFrequency * 0.001 * ms);
}
