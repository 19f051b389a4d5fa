const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Seconds of a time as schedulers write it: `HH:MM:SS`, `MM:SS`, `D-HH:MM:SS`, `D-HH`, minutes alone, or `90m`, `4h`,
 * `2d`. Undefined if it is not a time.
 */
export function parseWalltime(text: string): number | undefined {
  const trimmed = text.trim();
  const short = /^(\d+)([smhd])$/i.exec(trimmed);
  if (short !== null) return Number(short[1]) * unitSeconds[short[2]!.toLowerCase() as keyof typeof unitSeconds];
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(trimmed);
  if (match === null) return undefined;
  const [days, ...parts] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  const [first = 0, second, third] = parts;
  // After days the first number is hours; without, a number alone is minutes and two are minutes and seconds.
  if (days !== undefined) return days * 86_400 + first * 3600 + (second ?? 0) * 60 + (third ?? 0);
  if (second === undefined) return first * 60;
  return third === undefined ? first * 60 + second : first * 3600 + second * 60 + third;
}

/** Seconds as `HH:MM:SS`, which every scheduler reads. */
export function formatWalltime(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
}
