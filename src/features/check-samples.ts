import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";

/** Samples may come from user code: a plain array or 16-bit integers would silently give wrong features. */
export function checkSamples(what: string, samples: Float32Array): void {
  if (samples instanceof Float32Array) return;
  throw new MillraceError("BAD_AUDIO", `${what}: the samples are ${describeKind(samples)}, not a Float32Array.`, {
    hint: "Give one channel as Float32Array; of 16-bit integers: Float32Array.from(samples, (s) => s / 32768).",
  });
}
