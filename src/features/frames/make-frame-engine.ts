import { makeDoubleFrames } from "./double-frames.ts";
import type { FrameEngine, FrameSpec } from "./frame-spec.ts";
import { canUseSimd, makeSimdFrames } from "./simd-frames.ts";

/** The fastest engine for a spec. */
export function makeFrameEngine(spec: FrameSpec): FrameEngine {
  return canUseSimd(spec) ? makeSimdFrames(spec) : makeDoubleFrames(spec);
}
