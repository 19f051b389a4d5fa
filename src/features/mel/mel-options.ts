import { MillraceError } from "../../errors/errors.ts";
import { checkFeatureOptions, flag, number, oneOf, orNull, whole } from "../check-options.ts";

/**
 * Options of {@link melSpectrogram}. Defaults are librosa's; {@link torchaudioMel} has those of torchaudio. Lengths are
 * in samples.
 */
export interface MelOptions {
  /** Samples per second. Default: 22050, as in librosa. */
  readonly sampleRate?: number | undefined;
  /** Default: 2048. */
  readonly nFft?: number | undefined;
  /** Default: `nFft`. A shorter window is in the middle of a frame. */
  readonly winLength?: number | null | undefined;
  /** Default: a quarter of `winLength`; torchaudio's is a half. */
  readonly hopLength?: number | null | undefined;
  /** Default: `hann`. */
  readonly window?: SpectrumWindow | undefined;
  /** Centres frames on their time and pads the ends. Default: true. */
  readonly center?: boolean | undefined;
  /** Default: `constant`, zeros; torchaudio mirrors (`reflect`). */
  readonly padMode?: "constant" | "reflect" | undefined;
  /** Applies the filters to powers (2) or magnitudes (1). Default: 2. */
  readonly power?: 1 | 2 | undefined;
  /** Default: 128. */
  readonly nMels?: number | undefined;
  /** Default: 0. */
  readonly fMin?: number | undefined;
  /** Default: half of `sampleRate`. */
  readonly fMax?: number | null | undefined;
  /** `slaney`: linear up to 1 kHz, then logarithmic; `htk`: logarithmic. Default: `slaney`. */
  readonly melScale?: "slaney" | "htk" | undefined;
  /** `slaney`: filters of equal area; `none`: of equal height. Default: `slaney`. */
  readonly norm?: "slaney" | "none" | undefined;
}

/** The windows of a spectrogram. */
export type SpectrumWindow = "hann" | "hamming" | "blackman" | "rectangular";

/** The defaults of torchaudio's `MelSpectrogram`, to be spread before other options. */
export const torchaudioMel: Readonly<MelOptions> = {
  sampleRate: 16_000,
  nFft: 400,
  hopLength: 200,
  padMode: "reflect",
  melScale: "htk",
  norm: "none",
};

/** The options with all defaults. */
export interface CheckedMel {
  readonly sampleRate: number;
  readonly nFft: number;
  readonly winLength: number;
  readonly hopLength: number;
  readonly window: SpectrumWindow;
  readonly center: boolean;
  readonly padMode: "constant" | "reflect";
  readonly power: 1 | 2;
  readonly nMels: number;
  readonly fMin: number;
  readonly fMax: number;
  readonly melScale: "slaney" | "htk";
  readonly norm: "slaney" | "none";
}

const rules = {
  sampleRate: number(22_050, { min: 100, max: 10_000_000 }),
  nFft: whole(2048, { min: 2, max: 2 ** 20 }),
  winLength: orNull(whole(2048, { min: 1 })),
  hopLength: orNull(whole(512, { min: 1 })),
  window: oneOf(["hann", "hamming", "blackman", "rectangular"], "hann"),
  center: flag(true),
  padMode: oneOf(["constant", "reflect"], "constant"),
  power: oneOf([1, 2], 2),
  nMels: whole(128, { min: 1, max: 4096 }),
  fMin: number(0, { min: 0 }),
  fMax: orNull(number(11_025, { above: 0 })),
  melScale: oneOf(["slaney", "htk"], "slaney"),
  norm: oneOf(["slaney", "none"], "slaney"),
};

/** Names of the mel options, for functions that have other options too. */
export const melOptionNames: readonly string[] = Object.keys(rules);

/** Checks the options of a mel spectrogram. */
export function checkMelOptions(what: string, options: MelOptions): CheckedMel {
  const checked = checkFeatureOptions(what, options, rules);
  const winLength = checked.winLength ?? checked.nFft;
  const hopLength = checked.hopLength ?? Math.max(1, winLength >> 2);
  const fMax = checked.fMax ?? checked.sampleRate / 2;
  if (winLength > checked.nFft)
    throw new MillraceError("BAD_OPTION", `${what}: a window of ${winLength} samples in an nFft of ${checked.nFft}.`, {
      hint: "Raise nFft or lower winLength: both are in samples.",
    });
  if (checked.fMin >= fMax || fMax > checked.sampleRate / 2)
    throw new MillraceError(
      "BAD_OPTION",
      `${what}: mel filters from ${checked.fMin} to ${fMax} Hz at ${checked.sampleRate} samples per second.`,
      { hint: `fMin has to be below fMax, and fMax at most ${checked.sampleRate / 2}. Is sampleRate right?` },
    );
  return { ...checked, winLength, hopLength, fMax };
}
