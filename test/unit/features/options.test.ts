import { describe, expect, it } from "vitest";
import { fbank } from "../../../src/features/kaldi/fbank.ts";
import type { FbankOptions } from "../../../src/features/kaldi/kaldi-options.ts";
import { mfcc } from "../../../src/features/kaldi/mfcc.ts";
import { melMfcc } from "../../../src/features/mel/mel-mfcc.ts";
import { melSpectrogram } from "../../../src/features/mel/mel-spectrogram.ts";
import { speechbrainFbank } from "../../../src/features/mel/speechbrain-fbank.ts";
import { globalCmvn } from "../../../src/features/normalise/global-cmvn.ts";
import { speechSegments } from "../../../src/features/vad/speech-segments.ts";
import { testSignal } from "../../support/features/compare.ts";

const samples = testSignal(4000);

/** The message of the error, which has to be one of a user's. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ name: "MillraceError", code: "BAD_OPTION", hint: expect.any(String) });
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

describe("options", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["a misspelt name", () => fbank(samples, { numMelBin: 80 } as FbankOptions), /numMelBin"[\s\S]*mean numMelBins\?/],
    [
      "a name given twice",
      () => fbank(samples, { numMelBins: 80, num_mel_bins: 40 } as FbankOptions),
      /numMelBins is given twice/,
    ],
    [
      "an unknown window",
      () => fbank(samples, { windowType: "kaiser" as "povey" }),
      /windowType is "kaiser"[\s\S]*"povey"/,
    ],
    [
      "text for a number",
      () => fbank(samples, { frameShift: "10" as unknown as number }),
      /frameShift is "10"[\s\S]*a number above 0/,
    ],
    ["NaN", () => fbank(samples, { dither: Number.NaN }), /dither is NaN/],
    [
      "a number for a switch",
      () => fbank(samples, { snipEdges: 1 as unknown as boolean }),
      /snipEdges is 1[\s\S]*true or false/,
    ],
    [
      "null where it means nothing",
      () => fbank(samples, { numMelBins: null as unknown as number }),
      /numMelBins is null/,
    ],
    ["a frame without samples", () => fbank(samples, { frameLength: 0.01 }), /have no samples/],
    [
      "bins beyond half the rate",
      () => fbank(samples, { sampleFrequency: 8000, highFreq: 7600 }),
      /20 to 7600 Hz at 8000/,
    ],
    ["bins upside down", () => fbank(samples, { lowFreq: 500, highFreq: 400 }), /500 to 400 Hz/],
    ["a warp outside the bins", () => fbank(samples, { vtlnWarp: 1.1, lowFreq: 200 }), /warping from 100/],
    ["more cepstra than bins", () => mfcc(samples, { numCeps: 30 }), /30 cepstra of 23/],
    [
      "a window longer than nFft",
      () => melSpectrogram(samples, { nFft: 400, winLength: 512 }),
      /512 samples in an nFft of 400/,
    ],
    [
      "a wrong rate of librosa's",
      () => melSpectrogram(samples, { sampleRate: 8000, fMax: 7600 }),
      /0 to 7600 Hz at 8000/,
    ],
    ["more MFCCs than filters", () => melMfcc(samples, { nMels: 20, nMfcc: 40 }), /40 cepstra of 20/],
    ["an unknown option", () => melMfcc(samples, { bogus: 1 } as object), /no option "bogus"/],
    [
      "SpeechBrain's window in samples",
      () => speechbrainFbank(samples, { winLength: 400 }),
      /6400 samples[\s\S]*milliseconds/,
    ],
    [
      "statistics of no frames",
      () =>
        globalCmvn({ data: new Float32Array(2), rows: 1, columns: 2 }, { sum: [0, 0], sumSquare: [0, 0], count: 0 }),
      /0 frames/,
    ],
    [
      "statistics of other features",
      () => globalCmvn({ data: new Float32Array(2), rows: 1, columns: 2 }, { sum: [0], sumSquare: [0], count: 1 }),
      /1 and 1 columns for features of 2/,
    ],
    ["a threshold of a percentage", () => speechSegments([1], { threshold: 50 }), /threshold is 50[\s\S]*up to 1/],
  ])("refuses %s", (_, act, message) => {
    expect(refusal(act)).toMatch(message);
  });

  it("may be undefined, which is their default", () => {
    expect(fbank(samples, { numMelBins: undefined, windowType: undefined })).toEqual(fbank(samples));
  });

  it("are distinguished: another option gives other features, the same option the same", () => {
    const first = fbank(samples, { numMelBins: 30 });
    expect(fbank(samples, { numMelBins: 30, windowType: "hamming" })).not.toEqual(first);
    // More sets of options than are kept.
    for (let bins = 3; bins < 28; bins++) expect(fbank(samples, { numMelBins: bins }).columns).toBe(bins);
    expect(fbank(samples, { num_mel_bins: 30 } as FbankOptions)).toEqual(first);
  });
});
