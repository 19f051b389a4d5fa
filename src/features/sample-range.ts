import * as w from "../shared/wasm-code.ts";
import { hasWasm, makeInstance } from "../shared/wasm-instance.ts";
import { checkSamples } from "./check-samples.ts";

/** The lowest and the highest of some samples; infinities where there are none, NaN where one of them is. */
export interface SampleRange {
  readonly least: number;
  readonly most: number;
}

/** Finds the lowest and the highest sample: how loud audio is, whatever constant is in it. */
export function sampleRange(samples: Float32Array): SampleRange {
  checkSamples("sampleRange", samples);
  findRange ??= hasWasm ? makeRangeKernel() : rangeOf;
  return findRange(samples);
}

let findRange: ((samples: Float32Array) => SampleRange) | undefined;

function rangeOf(samples: Float32Array): SampleRange {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < samples.length; i++) {
    least = Math.min(least, samples[i]!);
    most = Math.max(most, samples[i]!);
  }
  return { least, most };
}

// What is looked at at a time stays in the processor's cache.
const blockSamples = 8192;
const groupSamples = 16;
const inputAt = 2 * 4 * groupSamples;

function makeRangeKernel(): (samples: Float32Array) => SampleRange {
  const { memory, run } = makeInstance(assemble());
  const leasts = new Float32Array(memory.buffer, 0, groupSamples);
  const mosts = new Float32Array(memory.buffer, 4 * groupSamples, groupSamples);
  const input = new Float32Array(memory.buffer, inputAt, blockSamples);
  return (samples) => {
    leasts.fill(Number.POSITIVE_INFINITY);
    mosts.fill(Number.NEGATIVE_INFINITY);
    for (let at = 0; at < samples.length; at += blockSamples) {
      const count = Math.min(blockSamples, samples.length - at);
      const groups = Math.ceil(count / groupSamples);
      input.set(samples.subarray(at, at + count));
      input.fill(samples[at]!, count, groups * groupSamples);
      run(groups);
    }
    return { least: Math.min(...leasts), most: Math.max(...mosts) };
  };
}

/** Four vectors are looked at side by side, each with the lowest and the highest of its own lanes so far. */
function assemble(): Uint8Array<ArrayBuffer> {
  const groups = 0;
  const locals = w.makeLocals();
  const [counter, at, ends] = [locals.i32(), locals.i32(), locals.i32()];
  const parts = Array.from({ length: groupSamples / 4 }, (_, i) => ({
    offset: 16 * i,
    value: locals.v128(),
    least: locals.v128(),
    most: locals.v128(),
  }));
  const body = [
    w.set(at, w.int(inputAt)),
    w.set(ends, w.int(0)),
    ...parts.flatMap(({ offset, least, most }) => [
      w.set(least, w.load(ends, offset)),
      w.set(most, w.load(ends, 4 * groupSamples + offset)),
    ]),
    w.repeat(counter, w.get(groups), [
      ...parts.flatMap(({ offset, value, least, most }) => [
        w.set(value, w.load(at, offset)),
        w.set(least, w.least(w.get(least), w.get(value))),
        w.set(most, w.most(w.get(most), w.get(value))),
      ]),
      w.advance(at, 4 * groupSamples),
    ]),
    ...parts.flatMap(({ offset, least, most }) => [
      w.store(ends, offset, w.get(least)),
      w.store(ends, 4 * groupSamples + offset, w.get(most)),
    ]),
  ];
  const pages = Math.ceil((inputAt + 4 * blockSamples) / 65_536);
  return w.assembleModule(pages, [{ locals, body }]);
}
