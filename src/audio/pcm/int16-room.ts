import * as w from "../../shared/wasm-code.ts";
import { hasWasm, makeInstance } from "../../shared/wasm-instance.ts";

/** Room that 16-bit samples are read into, and that makes numbers of them where they lie. */
export interface Int16Room {
  /** For the bytes of a file, in the order of this machine. */
  readonly bytes: Uint8Array;
  /** The first `count` samples as numbers, of which the lowest possible is -1. They stay until the next ones come. */
  decode(count: number): Float32Array;
}

const groupSamples = 8;

/** Makes a room for so many bytes, a multiple of 16; undefined where there is no WebAssembly. */
export function makeInt16Room(byteLength: number): Int16Room | undefined {
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
