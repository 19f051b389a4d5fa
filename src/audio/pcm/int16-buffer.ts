import * as w from "../../wasm/wasm-code.ts";
import { hasWasm, makeInstance } from "../../wasm/wasm-instance.ts";

/** A buffer into which 16-bit samples are read, and which converts them in place. */
export interface Int16Buffer {
  /** For the bytes of a file, in the byte order of this machine. */
  readonly bytes: Uint8Array;
  /** The first `count` samples as numbers from -1. They are valid until the next read. */
  decode(count: number): Float32Array;
}

const groupSamples = 8;

/** Creates a buffer of `byteLength` bytes, a multiple of 16; undefined without WebAssembly. */
export function makeInt16Buffer(byteLength: number): Int16Buffer | undefined {
  if (!hasWasm) return undefined;
  const { memory, run } = makeInstance(assemble(byteLength));
  const samples = new Float32Array(memory.buffer, byteLength, byteLength / 2);
  return {
    bytes: new Uint8Array(memory.buffer, 0, byteLength),
    decode(count) {
      if (count > 0) run(Math.ceil(count / groupSamples));
      return samples.subarray(0, count);
    },
  };
}

/** Eight samples at a time. Dividing by a power of two is exact. */
function assemble(samplesAt: number): Uint8Array<ArrayBuffer> {
  const groups = 0;
  const locals = w.makeLocals();
  const [counter, from, to, value] = [locals.i32(), locals.i32(), locals.i32(), locals.v128()];
  const scaled = (half: w.Code) => w.mul(w.toFloats(half), w.splat(2 ** -15));
  const body = [
    w.set(from, w.int(0)),
    w.set(to, w.int(samplesAt)),
    w.repeat(counter, w.get(groups), [
      w.set(value, w.load(from, 0)),
      w.store(to, 0, scaled(w.lowerInts(w.get(value)))),
      w.store(to, 16, scaled(w.upperInts(w.get(value)))),
      w.advance(from, 16),
      w.advance(to, 32),
    ]),
  ];
  return w.assembleModule(Math.ceil((3 * samplesAt) / 65_536), [{ locals, body }]);
}
