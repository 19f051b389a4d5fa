import { formatClock, formatDay } from "../format.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * day),
] as const;

/** A mark on an axis. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** At most this many ticks between two moments, at round local times. */
export function timeTicks(from: number, to: number, most: number): Tick[] {
  const step = steps.find((size) => (to - from) / size <= most) ?? steps.at(-1)!;
  const offset = new Date(from).getTimezoneOffset() * minute;
  const ticks: Tick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step)
    ticks.push({ at, label: labelOf(at, step) });
  return ticks;
}

function labelOf(at: number, step: number): string {
  if (step >= day) return formatDay(at);
  return step >= minute ? formatClock(at).slice(0, 5) : formatClock(at);
}

/** Round numbers from 0 to at least `largest`, about four of them. */
export function valueTicks(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, i) => i * step);
}
