import { checkSamples } from "../check-samples.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { floatEpsilon, locateFrames } from "../kaldi/kaldi-frames.ts";
import { checkFbankOptions, type FbankOptions, samplesOf } from "../kaldi/kaldi-options.ts";

/** Options of {@link frameLogEnergy}: those of {@link fbank} that define a frame and its energy. */
export type FrameLogEnergyOptions = Pick<
  FbankOptions,
  "sampleFrequency" | "sampleRange" | "frameLength" | "frameShift" | "snipEdges" | "removeDcOffset" | "energyFloor"
>;

/** The logarithm of each frame's energy in one column: the input of {@link energyVad}, without computing an MFCC. */
export function frameLogEnergy(samples: Float32Array, options: FrameLogEnergyOptions = {}): FeatureMatrix {
  checkSamples("frameLogEnergy", samples);
  const checked = checkFbankOptions(options, "frameLogEnergy");
  const frameLength = samplesOf(checked, checked.frameLength);
  const frameShift = samplesOf(checked, checked.frameShift);
  const scale = checked.sampleRange === "unit" ? 32_768 : 1;
  const { source, frames } = locateFrames(samples, { frameLength, frameShift, options: checked });
  const data = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let [sum, squares] = [0, 0];
    for (let i = frame * frameShift; i < frame * frameShift + frameLength; i++) {
      const value = source[i]! * scale;
      sum += value;
      squares += value * value;
    }
    const energy = checked.removeDcOffset ? squares - (sum * sum) / frameLength : squares;
    data[frame] = Math.log(Math.max(energy, floatEpsilon, checked.energyFloor));
  }
  return { data, rows: frames, columns: 1 };
}
