import type { Job } from "./scheduler.ts";

/**
 * The directives of a job and the user's own, without those the user does not want. Of several that say the same the last
 * one counts, which is the user's but for `closing`.
 */
export function keptDirectives(
  { options }: Job,
  prefix: string,
  directives: readonly string[],
  closing: readonly string[] = [],
): string[] {
  const { extraDirectives, skippedDirectives } = options;
  return [...directives, ...extraDirectives, ...closing].filter(
    (directive) => !skippedDirectives.some((part) => `${prefix} ${directive}`.trimStart().includes(part)),
  );
}
