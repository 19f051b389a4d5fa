import * as w from "../../wasm/wasm-code.ts";
import type { FrameSpec } from "./frame-spec.ts";
import { type KernelLayout, layOut, vectorBytes } from "./kernel-layout.ts";
import { emitFft, fftTwiddles, planPasses, type Transform } from "./simd-fft.ts";
import { emitFilters, packFilters } from "./simd-filters.ts";
import { emitSpectrum, pairOrder, splitTwiddles } from "./simd-spectrum.ts";
import { emitSplitRadix, isSplitRadixSize, splitRadixTwiddles } from "./simd-split-radix.ts";

export interface Kernel {
  readonly module: Uint8Array<ArrayBuffer>;
  readonly layout: KernelLayout;
  /** What must be in memory before the first call. */
  readonly tables: readonly { readonly at: number; readonly values: Float32Array | Int32Array }[];
}

/**
 * Generates a program for one spec that computes four frames at a time, one in each lane of a vector. Values move
 * between lanes only when samples are read and features are written, and sizes and offsets are constants in the code.
 */
export function makeKernel(spec: FrameSpec): Kernel {
  const half = spec.fftSize / 2;
  const isKaldi = spec.isKaldi && isSplitRadixSize(half);
  const passes = isKaldi ? [] : planPasses(half);
  const twiddles = isKaldi ? splitRadixTwiddles(half) : passes.map(fftTwiddles);
  const { table, weights } = packFilters(spec.filters);
  const layout = layOut(spec, { twiddles, table, weights });
  const transform = isKaldi ? emitSplitRadix(half, layout, 1) : emitFft(passes, layout);
  return {
    module: assemble(spec, layout, transform),
    layout,
    tables: [
      { at: layout.window, values: Float32Array.from(spec.window, (value) => value / 2) },
      { at: layout.splitTwiddles, values: splitTwiddles(half, isKaldi) },
      { at: layout.order, values: pairOrder(half, transform.result, transform.placeOf) },
      ...twiddles.map((values, i) => ({ at: layout.passTwiddles[i]!, values })),
      { at: layout.filters, values: table },
      { at: layout.weights, values: weights },
    ],
  };
}

function assemble(spec: FrameSpec, layout: KernelLayout, transform: Transform): Uint8Array<ArrayBuffer> {
  const groups = 0;
  const locals = w.makeLocals();
  const [samples, output, energies] = [locals.i32(), locals.i32(), locals.i32()];
  const body = [
    ...w.set(samples, w.int(layout.samples)),
    ...w.set(output, w.int(layout.output)),
    ...w.set(energies, w.int(layout.energies)),
    ...w.repeat(groups, w.get(groups), [
      ...emitFrames(spec, locals, layout, { samples, energies }),
      ...w.call(1, w.int(layout.work[0])),
      ...emitSpectrum(spec, locals, layout, transform.result),
      ...emitFilters(spec, locals, layout, output),
      ...w.advance(samples, 4 * 4 * spec.frameShift),
      ...w.advance(output, 4 * 4 * spec.filters.count),
      ...w.advance(energies, 4 * 4),
    ]),
  ];
  return w.assembleModule(Math.ceil((layout.bytes + 64) / 65_536), [{ locals, body }, ...transform.functions]);
}

/** Loads four frames into the work buffer, interleaved by sample: without mean, with pre-emphasis, windowed. */
function emitFrames(
  spec: FrameSpec,
  locals: w.Locals,
  layout: KernelLayout,
  at: { samples: w.Local; energies: w.Local },
): w.Code {
  const [from, to, count, mean] = [locals.i32(), locals.i32(), locals.i32(), locals.v128()];
  const rows = [0, 1, 2, 3].map(() => locals.v128());
  const sums = [0, 1, 2, 3].map(() => locals.v128());
  const mixed = [0, 1, 2, 3].map(() => locals.v128());
  const frameBytes = 4 * spec.frameShift;
  const quads = spec.frameLength >> 2;
  const rest = spec.frameLength & 3;
  const [r0, r1, r2, r3] = rows.map(w.get) as [w.Code, w.Code, w.Code, w.Code];
  const [m0, m1, m2, m3] = mixed.map(w.get) as [w.Code, w.Code, w.Code, w.Code];
  const quad = [
    ...rows.flatMap((row, i) => w.set(row, w.loadUnaligned(from, i * frameBytes))),
    ...w.set(mixed[0]!, w.shuffle(r0, r1, [0, 4, 1, 5])),
    ...w.set(mixed[1]!, w.shuffle(r2, r3, [0, 4, 1, 5])),
    ...w.set(mixed[2]!, w.shuffle(r0, r1, [2, 6, 3, 7])),
    ...w.set(mixed[3]!, w.shuffle(r2, r3, [2, 6, 3, 7])),
    ...w.set(rows[0]!, w.shuffle(m0, m1, [0, 1, 4, 5])),
    ...w.set(rows[1]!, w.shuffle(m0, m1, [2, 3, 6, 7])),
    ...w.set(rows[2]!, w.shuffle(m2, m3, [0, 1, 4, 5])),
    ...w.set(rows[3]!, w.shuffle(m2, m3, [2, 3, 6, 7])),
    ...rows.flatMap((row, i) => w.store(to, i * vectorBytes, w.get(row))),
    ...(spec.removeMean ? sums.flatMap((sum, i) => w.set(sum, w.add(w.get(sum), w.get(rows[i]!)))) : []),
    ...w.advance(from, 16),
    ...w.advance(to, 4 * vectorBytes),
  ];
  const single = [0, 1, 2]
    .slice(0, rest)
    .flatMap((i) => [
      ...w.set(rows[0]!, w.loadSplat(from, 4 * i)),
      ...[1, 2, 3].flatMap((lane) => w.set(rows[0]!, w.loadLane(from, lane * frameBytes + 4 * i, lane, r0))),
      ...w.store(to, i * vectorBytes, r0),
      ...(spec.removeMean ? w.set(sums[i]!, w.add(w.get(sums[i]!), r0)) : []),
    ]);
  const [s0, s1, s2, s3] = sums.map(w.get) as [w.Code, w.Code, w.Code, w.Code];
  return [
    ...w.set(from, w.get(at.samples)),
    ...w.set(to, w.int(layout.work[0])),
    ...sums.flatMap((sum) => w.set(sum, w.splat(0))),
    ...(quads > 0 ? w.repeat(count, w.int(quads), quad) : []),
    ...single,
    ...w.set(mean, w.div(w.add(w.add(s0, s1), w.add(s2, s3)), w.splat(spec.frameLength))),
    ...emitWindow(spec, locals, layout, { mean, energies: at.energies }),
  ];
}

function emitWindow(
  spec: FrameSpec,
  locals: w.Locals,
  layout: KernelLayout,
  at: { mean: w.Local; energies: w.Local },
): w.Code {
  const [data, window, count] = [locals.i32(), locals.i32(), locals.i32()];
  const [x, y, before, energy] = [locals.v128(), locals.v128(), locals.v128(), locals.v128()];
  const read = (offset: number) =>
    spec.removeMean ? w.sub(w.load(data, offset), w.get(at.mean)) : w.load(data, offset);
  const emphasised =
    spec.preemphasis === 0 ? w.get(x) : w.sub(w.get(x), w.mul(w.splat(spec.preemphasis), w.get(before)));
  const squared = (value: w.Local) => w.set(energy, w.add(w.get(energy), w.mul(w.get(value), w.get(value))));
  const step = (i: number) => [
    ...w.set(x, read(i * vectorBytes)),
    ...w.set(y, w.mul(emphasised, w.loadSplat(window, 4 * i))),
    ...w.store(data, i * vectorBytes, w.get(y)),
    ...w.set(before, w.get(x)),
    ...(spec.energy === "raw" ? squared(x) : []),
    ...(spec.energy === "windowed" ? squared(y) : []),
  ];
  const steps = (times: number) => [
    ...Array.from({ length: times }, (_, i) => step(i)).flat(),
    ...w.advance(data, times * vectorBytes),
    ...w.advance(window, times * 4),
  ];
  const zeros = spec.fftSize - spec.frameLength;
  const [quads, rest] = [spec.frameLength >> 2, spec.frameLength & 3];
  // The window in memory is halved, see emitSpectrum.
  const scale = w.splat(spec.energy === "windowed" ? 4 : 1);
  return [
    ...w.set(data, w.int(layout.work[0])),
    ...w.set(window, w.int(layout.window)),
    ...w.set(before, read(0)),
    ...w.set(energy, w.splat(0)),
    ...(quads > 0 ? w.repeat(count, w.int(quads), steps(4)) : []),
    ...steps(rest),
    ...(zeros > 0
      ? w.repeat(count, w.int(zeros), [...w.store(data, 0, w.splat(0)), ...w.advance(data, vectorBytes)])
      : []),
    ...(spec.energy === "none" ? [] : w.store(at.energies, 0, w.mul(w.get(energy), scale))),
  ];
}
