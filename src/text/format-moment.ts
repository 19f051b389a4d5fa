const two = (value: number): string => String(value).padStart(2, "0");

/** A moment with its date, in the local time zone: 2026-11-16 09:05:02. */
export function formatMoment(at: number): string {
  return `${formatDay(at)} ${formatClock(at)}`;
}

/** 09:05:02. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** 2026-11-16. */
export function formatDay(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
