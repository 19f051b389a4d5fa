import { MillraceError } from "../shared/errors.ts";
import { describeKind } from "../shared/state-json.ts";

/** Samples come from users' own code too: a plain array or 16-bit integers would give wrong features without a word. */
export function checkSamples(what: string, samples: Float32Array): void {
  if (samples instanceof Float32Array) return;
  throw new MillraceError("BAD_AUDIO", `${what}: the samples are ${describeKind(samples)}, not a Float32Array.`, {
    hint: "Give one channel as Float32Array; of 16-bit integers: Float32Array.from(samples, (s) => s / 32768).",
  });
}
