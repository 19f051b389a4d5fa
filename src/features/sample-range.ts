import * as w from "../wasm/wasm-code.ts";
import { hasWasm, makeInstance } from "../wasm/wasm-instance.ts";
import { checkSamples } from "./check-samples.ts";

/** The minimum and maximum of samples: infinities if there are none, NaN if one of them is NaN. */
export interface SampleRange {
  readonly min: number;
  readonly max: number;
}

/** Finds the minimum and maximum sample: how loud audio is, independent of a constant offset. */
export function sampleRange(samples: Float32Array): SampleRange {
  checkSamples("sampleRange", samples);
  findRange ??= hasWasm ? makeRangeKernel() : rangeOf;
  return findRange(samples);
}

let findRange: ((samples: Float32Array) => SampleRange) | undefined;

function rangeOf(samples: Float32Array): SampleRange {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < samples.length; i++) {
    min = Math.min(min, samples[i]!);
    max = Math.max(max, samples[i]!);
  }
  return { min, max };
}

// A block fits the processor's cache.
const blockSamples = 8192;
const groupSamples = 16;
const inputAt = 2 * 4 * groupSamples;

function makeRangeKernel(): (samples: Float32Array) => SampleRange {
  const { memory, run } = makeInstance(assemble());
  const minima = new Float32Array(memory.buffer, 0, groupSamples);
  const maxima = new Float32Array(memory.buffer, 4 * groupSamples, groupSamples);
  const input = new Float32Array(memory.buffer, inputAt, blockSamples);
  return (samples) => {
    minima.fill(Number.POSITIVE_INFINITY);
    maxima.fill(Number.NEGATIVE_INFINITY);
    for (let at = 0; at < samples.length; at += blockSamples) {
      const count = Math.min(blockSamples, samples.length - at);
      const groups = Math.ceil(count / groupSamples);
      input.set(samples.subarray(at, at + count));
      input.fill(samples[at]!, count, groups * groupSamples);
      run(groups);
    }
    return { min: Math.min(...minima), max: Math.max(...maxima) };
  };
}

/** Processes four vectors side by side, each with the minimum and maximum of its lanes. */
function assemble(): Uint8Array<ArrayBuffer> {
  const groups = 0;
  const locals = w.makeLocals();
  const [counter, at, ends] = [locals.i32(), locals.i32(), locals.i32()];
  const parts = Array.from({ length: groupSamples / 4 }, (_, i) => ({
    offset: 16 * i,
    value: locals.v128(),
    min: locals.v128(),
    max: locals.v128(),
  }));
  const body = [
    w.set(at, w.int(inputAt)),
    w.set(ends, w.int(0)),
    ...parts.flatMap(({ offset, min, max }) => [
      w.set(min, w.load(ends, offset)),
      w.set(max, w.load(ends, 4 * groupSamples + offset)),
    ]),
    w.repeat(counter, w.get(groups), [
      ...parts.flatMap(({ offset, value, min, max }) => [
        w.set(value, w.load(at, offset)),
        w.set(min, w.min(w.get(min), w.get(value))),
        w.set(max, w.max(w.get(max), w.get(value))),
      ]),
      w.advance(at, 4 * groupSamples),
    ]),
    ...parts.flatMap(({ offset, min, max }) => [
      w.store(ends, offset, w.get(min)),
      w.store(ends, 4 * groupSamples + offset, w.get(max)),
    ]),
  ];
  const pages = Math.ceil((inputAt + 4 * blockSamples) / 65_536);
  return w.assembleModule(pages, [{ locals, body }]);
}
