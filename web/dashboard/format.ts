export { formatCount } from "../../src/driver/progress/progress-line.ts";
export { formatDuration } from "../../src/text/format-duration.ts";
export { formatClock, formatDay, formatMoment } from "../../src/text/format-moment.ts";

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Bytes in readable units: 1.5 GiB. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${byteUnits[unit]}`;
}

/** A duration: 350 ms, 4.2 s, 3 min, 2.5 h, 3 d. */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${shorten(seconds)} s`;
  if (seconds < 3600) return `${shorten(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${shorten(seconds / 3600)} h`;
  return `${shorten(seconds / 86_400)} d`;
}

// Truncated, not rounded: 59.98 s must not read 60 s.
function shorten(value: number): string {
  return value < 10 ? String(Math.floor(value * 10) / 10) : String(Math.floor(value));
}

/** A fraction in percent: 100 % only when everything is done. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return "100 %";
  const percent = (100 * part) / whole;
  return percent > 99 || percent < 10 ? `${Math.floor(percent * 10) / 10} %` : `${Math.floor(percent)} %`;
}

/** A count with its noun: 1 shard, 1,234 shards. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
