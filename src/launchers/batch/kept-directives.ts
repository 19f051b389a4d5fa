import type { Job } from "./scheduler.ts";

/** The directives of a job and the user's own, without those the user does not want. */
export function keptDirectives({ options }: Job, prefix: string, directives: readonly string[]): string[] {
  const { extraDirectives, skippedDirectives } = options;
  return [...directives, ...extraDirectives].filter(
    (directive) => !skippedDirectives.some((part) => `${prefix} ${directive}`.trimStart().includes(part)),
  );
}
