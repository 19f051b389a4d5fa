import { MillraceError } from "../../errors/errors.ts";
import { checkFeatureOptions, flag, number, oneOf, orNull, whole } from "../check-options.ts";
import { checkSamples } from "../check-samples.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import type { SparseFilters } from "../frames/frame-spec.ts";
import { remember } from "../remember.ts";
import { makeSparseFilters } from "../sparse-filters.ts";
import { melPoints, melScales } from "./mel-filters.ts";
import { powerToDb } from "./power-to-db.ts";
import { makeSpectralFrames } from "./spectral-frames.ts";

/** Options of {@link speechbrainFbank}: those of SpeechBrain's `Fbank`, with its names and defaults; lengths are in ms. */
export interface SpeechbrainFbankOptions {
  /** Default: 16000. */
  readonly sampleRate?: number | undefined;
  /** In samples. Default: 400. */
  readonly nFft?: number | undefined;
  /** Default: 25. */
  readonly winLength?: number | undefined;
  /** Default: 10. */
  readonly hopLength?: number | undefined;
  /** Default: 40; ECAPA uses 80. */
  readonly nMels?: number | undefined;
  /** Default: 0. */
  readonly fMin?: number | undefined;
  /** Default: half of `sampleRate`. */
  readonly fMax?: number | null | undefined;
  /** Default: `triangular`. */
  readonly filterShape?: "triangular" | "rectangular" | undefined;
  /** Decibels. Default: true. */
  readonly logMel?: boolean | undefined;
  /** Default: 1e-10. */
  readonly amin?: number | undefined;
  /** Default: 80. */
  readonly topDb?: number | undefined;
}

const rules = {
  sampleRate: number(16_000, { min: 100, max: 10_000_000 }),
  nFft: whole(400, { min: 2, max: 2 ** 20 }),
  winLength: number(25, { above: 0, max: 10_000 }),
  hopLength: number(10, { above: 0, max: 10_000 }),
  nMels: whole(40, { min: 1, max: 4096 }),
  fMin: number(0, { min: 0 }),
  fMax: orNull(number(8000, { above: 0 })),
  filterShape: oneOf(["triangular", "rectangular"], "triangular"),
  logMel: flag(true),
  amin: number(1e-10, { above: 0 }),
  topDb: number(80, { min: 0 }),
};

/**
 * Mel filterbank energies as SpeechBrain's `Fbank` defines them, one row per frame: the input of its ECAPA models,
 * after {@link cmvn} with `normVars: false`. Samples are from -1 to 1; no samples give no rows.
 */
export function speechbrainFbank(samples: Float32Array, options: SpeechbrainFbankOptions = {}): FeatureMatrix {
  checkSamples("speechbrainFbank", samples);
  const checked = checkFeatureOptions("speechbrainFbank", options, rules);
  const fMax = checked.fMax ?? checked.sampleRate / 2;
  const [winLength, hopLength] = [checked.winLength, checked.hopLength].map((ms) =>
    Math.round((checked.sampleRate / 1000) * ms),
  ) as [number, number];
  if (winLength > checked.nFft || winLength < 1 || hopLength < 1)
    throw new MillraceError(
      "BAD_OPTION",
      `speechbrainFbank: windows of ${winLength} samples every ${hopLength} in an nFft of ${checked.nFft}.`,
      {
        hint: "winLength and hopLength are in milliseconds, nFft is in samples and at least as long as the window.",
      },
    );
  if (checked.fMin >= fMax || fMax > checked.sampleRate / 2)
    throw new MillraceError("BAD_OPTION", `speechbrainFbank: mel filters from ${checked.fMin} to ${fMax} Hz.`, {
      hint: `fMin has to be below fMax, and fMax at most ${checked.sampleRate / 2}.`,
    });
  const { amin, topDb, logMel, ...spectral } = checked;
  const powers = framesFor({ ...spectral, fMax, winLength, hopLength })(samples);
  return logMel ? powerToDb(powers, { amin, topDb }) : powers;
}

interface Spectral {
  readonly sampleRate: number;
  readonly nFft: number;
  readonly winLength: number;
  readonly hopLength: number;
  readonly nMels: number;
  readonly fMin: number;
  readonly fMax: number;
  readonly filterShape: "triangular" | "rectangular";
}

const framesFor = remember((options: Spectral) =>
  makeSpectralFrames(
    { ...options, window: "hamming", center: true, padMode: "constant", power: 2 },
    makeSpeechbrainFilters(options),
  ),
);

/** Filters around the points of the mel scale. Both sides are as wide as the distance to the previous point, in Hz. */
function makeSpeechbrainFilters({ sampleRate, nFft, nMels, fMin, fMax, filterShape }: Spectral): SparseFilters {
  const points = melPoints(melScales.htk, [fMin, fMax], nMels + 2);
  const bins = (nFft >> 1) + 1;
  // Half the sample rate is the last bin, even if nFft is odd.
  const hertzPerBin = Math.floor(sampleRate / 2) / (bins - 1);
  return makeSparseFilters(nMels, bins, (filter, bin) => {
    const centre = points[filter + 1]!;
    const distance = Math.abs(bin * hertzPerBin - centre) / (centre - points[filter]!);
    if (filterShape === "rectangular") return distance <= 1 ? 1 : 0;
    return Math.max(0, 1 - distance);
  });
}
