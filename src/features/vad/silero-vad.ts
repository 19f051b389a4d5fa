import { MillraceError } from "../../shared/errors.ts";
import type { ModelSession } from "../../shared/model-session.ts";
import { checkFeatureOptions, oneOf } from "../check-options.ts";
import { checkSamples } from "../check-samples.ts";

/** What the voice activity model gets. */
export interface SileroVadOptions {
  /** The two rates the model knows. Default: 16000. */
  readonly sampleRate?: 16_000 | 8000 | undefined;
}

const stateSize = 2 * 128;

/**
 * The probability of speech in each stretch of 512 samples (256 at 8 kHz), the last one filled up with zeros, by the Silero
 * model (version 5 or 6; {@link loadOnnx} loads it). Samples are from -1 to 1. {@link speechSegments} makes segments of it.
 */
export async function sileroVad(
  samples: Float32Array,
  model: ModelSession,
  options: SileroVadOptions = {},
): Promise<Float32Array> {
  checkSamples("sileroVad", samples);
  const { sampleRate } = checkFeatureOptions("sileroVad", options, { sampleRate: oneOf([16_000, 8000], 16_000) });
  const chunk = sampleRate === 16_000 ? 512 : 256;
  const context = chunk / 8;
  const probabilities = new Float32Array(Math.ceil(samples.length / chunk));
  const sr = { type: "int64", data: BigInt64Array.of(BigInt(sampleRate)), dims: [] } as const;
  const window = new Float32Array(context + chunk);
  let state = new Float32Array(stateSize);
  for (let i = 0; i < probabilities.length; i++) {
    // The model hears the end of the stretch before; the first has silence there.
    window.copyWithin(0, chunk);
    const part = samples.subarray(i * chunk, (i + 1) * chunk);
    window.set(part, context);
    window.fill(0, context + part.length);
    const { output, stateN } = await model.run({
      input: { type: "float32", data: window, dims: [1, window.length] },
      state: { type: "float32", data: state, dims: [2, 1, 128] },
      sr,
    });
    if (!(output?.data instanceof Float32Array) || !(stateN?.data instanceof Float32Array))
      throw new MillraceError("BAD_MODEL", "The model did not give the outputs output and stateN.", {
        hint: "Give a Silero VAD model of version 5 or later.",
      });
    probabilities[i] = output.data[0]!;
    state = stateN.data as Float32Array<ArrayBuffer>;
  }
  return probabilities;
}
