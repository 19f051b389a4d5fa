import { MillraceError } from "../../errors/errors.ts";
import type { ModelSession } from "../../models/model-session.ts";
import { checkFeatureOptions, oneOf } from "../check-options.ts";
import { checkSamples } from "../check-samples.ts";

/** Options of {@link sileroVad}. */
export interface SileroVadOptions {
  /** One of the two rates of the model. Default: 16000. */
  readonly sampleRate?: 16_000 | 8000 | undefined;
}

const stateSize = 2 * 128;

/**
 * The probability of speech in each window of 512 samples (256 at 8 kHz), the last one padded with zeros, by the Silero
 * model (version 5 or 6; {@link loadOnnx} loads it). Samples are from -1 to 1. {@link speechSegments} converts the
 * result to segments.
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
  const sr = { dtype: "int64", shape: [], data: BigInt64Array.of(BigInt(sampleRate)) } as const;
  const window = new Float32Array(context + chunk);
  let state = new Float32Array(stateSize);
  for (let i = 0; i < probabilities.length; i++) {
    // The model also gets the end of the previous window; for the first it is silence.
    window.copyWithin(0, chunk);
    const part = samples.subarray(i * chunk, (i + 1) * chunk);
    window.set(part, context);
    window.fill(0, context + part.length);
    const { output, stateN } = await model.run({
      input: { dtype: "float32", shape: [1, window.length], data: window },
      state: { dtype: "float32", shape: [2, 1, 128], data: state },
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
