import { hasWasm, makeInstance } from "../../wasm/wasm-instance.ts";
import type { FrameEngine, FrameJob, FrameSpec } from "./frame-spec.ts";
import { blockFrames } from "./kernel-layout.ts";
import { hasPasses } from "./simd-fft.ts";
import { type Kernel, makeKernel } from "./simd-kernel.ts";

/** Above this size a kernel's tables and buffers do not fit the caches, and the kernel is not faster. */
const maxFft = 32_768;

/**
 * True if there is a kernel for a spec: the size of its transform has only the factors 2, 3 and 5, and WebAssembly is
 * available.
 */
export function canUseSimd({ fftSize }: FrameSpec): boolean {
  return hasWasm && fftSize % 2 === 0 && fftSize <= maxFft && hasPasses(fftSize / 2);
}

/** Frames in float32, four at a time: as exact as Kaldi and librosa, which use float32 too. */
export function makeSimdFrames(spec: FrameSpec): FrameEngine {
  const kernel = makeKernel(spec);
  const { memory, run } = makeInstance(kernel.module);
  fillTables(memory.buffer, kernel);
  const { layout } = kernel;
  const width = spec.filters.count;
  const samples = new Float32Array(
    memory.buffer,
    layout.samples,
    (blockFrames - 1) * spec.frameShift + spec.frameLength,
  );
  const output = new Float32Array(memory.buffer, layout.output, blockFrames * width);
  const energies = new Float32Array(memory.buffer, layout.energies, blockFrames);
  return {
    run(job) {
      for (let done = 0; done < job.frames; done += blockFrames) {
        const frames = Math.min(blockFrames, job.frames - done);
        const from = job.firstSample + done * spec.frameShift;
        samples.set(job.samples.subarray(from, from + (frames - 1) * spec.frameShift + spec.frameLength));
        run((frames + 3) >> 2);
        copyRows(job, output, width, { frames, firstRow: job.firstRow + done });
        job.energies?.set(energies.subarray(0, frames), job.firstRow + done);
      }
    },
  };
}

function fillTables(memory: ArrayBuffer, { tables }: Kernel): void {
  for (const { at, values } of tables) {
    if (values instanceof Float32Array) new Float32Array(memory, at, values.length).set(values);
    else new Int32Array(memory, at, values.length).set(values);
  }
}

function copyRows(
  job: FrameJob,
  values: Float32Array,
  width: number,
  { frames, firstRow }: { frames: number; firstRow: number },
): void {
  if (job.rowLength === width) {
    job.output.set(values.subarray(0, frames * width), firstRow * width);
    return;
  }
  for (let row = 0; row < frames; row++) {
    const to = (firstRow + row) * job.rowLength + job.firstColumn;
    job.output.set(values.subarray(row * width, (row + 1) * width), to);
  }
}
