import type { AudioWarning } from "./audio.ts";
import type { SampleLimit } from "./sample-limit.ts";

/** The requested samples, in frames of the file. */
export interface FrameRange {
  readonly start: number;
  /** Infinity: to the end. */
  readonly end: number;
}

/** One channel from a decoder; integers are scaled. */
type Plane = Float32Array | Int32Array | Float64Array;

/** The requested frames of a push, and the destination of the first. */
interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Returns an array of at least `length`, with any content. */
type Allocate = (length: number) => Float32Array;

interface SinkOptions {
  readonly channel: "mix" | "all" | number;
  /** Of the file. */
  readonly channels: number;
  readonly range: FrameRange;
  /** Warnings during decoding are added here. */
  readonly warnings: AudioWarning[];
  readonly allocate: Allocate | undefined;
  /** Default: none. */
  readonly limit?: SampleLimit;
}

/**
 * Receives the output of decoders and keeps the requested part: one channel, their mean or all, of one range. It grows
 * with the data, so a header with a wrong length costs nothing.
 */
export class SampleSink {
  /** Frames received so far. A decoder that can seek sets it with `skipTo`. */
  position = 0;
  readonly range: FrameRange;
  readonly #choice: "mix" | "all" | number;
  readonly #warnings: AudioWarning[];
  readonly #allocate: Allocate | undefined;
  readonly #limit: SampleLimit | undefined;
  readonly #maxFrames: number;
  #planes: Float32Array[];
  #kept = 0;

  constructor({ channel, channels, range, warnings, allocate, limit }: SinkOptions) {
    this.#choice = channel;
    this.range = range;
    this.#warnings = warnings;
    this.#allocate = allocate;
    this.#limit = limit;
    this.#maxFrames = limit?.maxFrames ?? Infinity;
    this.#planes = Array.from({ length: channel === "all" ? channels : 1 }, () => new Float32Array(0));
  }

  get isFull(): boolean {
    return this.position >= this.range.end;
  }

  /** Announces the number of frames; only for counts that the file size supports. */
  expect(frames: number): void {
    this.#grow(frames);
  }

  /** Frames before this one will not come. */
  skipTo(frame: number): void {
    this.position = frame;
  }

  warn(warning: AudioWarning): void {
    this.#warnings.push(warning);
  }

  /** The next `count` frames, one plane per channel. The caller may reuse the planes. */
  pushPlanes(planes: readonly Plane[], count: number, scale = 1): void {
    const wanted = this.#take(count);
    if (wanted === undefined) return;
    if (this.#choice === "all") {
      for (const [channel, plane] of planes.entries()) copyScaled(plane, scale, wanted, this.#planes[channel]!);
    } else if (this.#choice === "mix") {
      mixPlanes(planes, scale, wanted, this.#planes[0]!);
    } else {
      copyScaled(planes[this.#choice]!, scale, wanted, this.#planes[0]!);
    }
  }

  /**
   * Where a decoder of one channel can write the next `count` frames directly; undefined if not all of them are
   * requested.
   */
  placeFor(count: number): Float32Array | undefined {
    if (this.position < this.range.start || this.position + count > this.range.end) return undefined;
    const { at } = this.#take(count)!;
    return this.#planes[0]!.subarray(at, at + count);
  }

  /** The next `count` frames, channels interleaved. */
  pushInterleaved(samples: Float32Array, channels: number, count: number): void {
    const wanted = this.#take(count);
    if (wanted === undefined) return;
    if (channels === 1) {
      this.#planes[0]!.set(samples.subarray(wanted.from, wanted.to), wanted.at);
    } else if (this.#choice === "all") {
      for (const [channel, plane] of this.#planes.entries()) pickChannel({ samples, channels }, channel, wanted, plane);
    } else if (this.#choice === "mix") {
      mixInterleaved({ samples, channels }, wanted, this.#planes[0]!);
    } else {
      pickChannel({ samples, channels }, this.#choice, wanted, this.#planes[0]!);
    }
  }

  /** The kept samples, in arrays of exactly that length. */
  finish(): Float32Array[] {
    return this.#planes.map((plane) => {
      if (plane.length === this.#kept) return plane;
      // A view would keep the slack in memory as long as the samples; a little of it is cheaper than a copy.
      const isOurs = this.#allocate === undefined;
      return !isOurs || plane.length - this.#kept < 4096 ? plane.subarray(0, this.#kept) : plane.slice(0, this.#kept);
    });
  }

  /** Counts `count` frames and makes room for those that are requested. */
  #take(count: number): Wanted | undefined {
    const from = Math.max(0, Math.min(count, this.range.start - this.position));
    const to = Math.min(count, this.range.end - this.position);
    this.position += count;
    return to <= from ? undefined : { from, to, at: this.#reserve(to - from) };
  }

  #reserve(count: number): number {
    const at = this.#kept;
    this.#kept += count;
    if (this.#kept > this.#maxFrames) throw this.#limit!.error();
    if (this.#kept > this.#planes[0]!.length) this.#grow(Math.max(this.#kept, Math.ceil(at * 1.5), 16_384));
    return at;
  }

  #grow(wanted: number): void {
    const length = Math.min(wanted, this.#maxFrames);
    this.#planes = this.#planes.map((plane) => {
      const larger = this.#allocate?.(length) ?? new Float32Array(length);
      larger.set(plane.subarray(0, Math.min(plane.length, length)));
      return larger;
    });
  }
}

function copyScaled(plane: Plane, scale: number, { from, to, at }: Wanted, out: Float32Array): void {
  if (scale === 1 && plane instanceof Float32Array) {
    out.set(plane.subarray(from, to), at);
    return;
  }
  for (let i = from, o = at; i < to; i++, o++) out[o] = plane[i]! * scale;
}

/** Sums in double precision and divides once, so that the mean of equal channels equals each of them exactly. */
function mixPlanes(planes: readonly Plane[], scale: number, wanted: Wanted, out: Float32Array): void {
  const { from, to, at } = wanted;
  const first = planes[0]!;
  if (planes.length === 1) {
    copyScaled(first, scale, wanted, out);
    return;
  }
  const factor = scale / planes.length;
  if (planes.length === 2) {
    const second = planes[1]!;
    for (let i = from, o = at; i < to; i++, o++) out[o] = (first[i]! + second[i]!) * factor;
    return;
  }
  for (let i = from, o = at; i < to; i++, o++) {
    let sum = 0;
    for (let channel = 0; channel < planes.length; channel++) sum += planes[channel]![i]!;
    out[o] = (sum * scale) / planes.length;
  }
}

interface Interleaved {
  readonly samples: Float32Array;
  readonly channels: number;
}

function mixInterleaved({ samples, channels }: Interleaved, { from, to, at }: Wanted, out: Float32Array): void {
  for (let i = from, o = at, s = from * channels; i < to; i++, o++) {
    let sum = 0;
    for (const end = s + channels; s < end; s++) sum += samples[s]!;
    out[o] = sum / channels;
  }
}

function pickChannel(
  { samples, channels }: Interleaved,
  channel: number,
  { from, to, at }: Wanted,
  out: Float32Array,
): void {
  for (let i = from, o = at, s = from * channels + channel; i < to; i++, o++, s += channels) out[o] = samples[s]!;
}
