import type { CallAnswer } from "./call-program.ts";
import type { JobOptions } from "./job-options.ts";
import type { Call, Scheduler } from "./scheduler.ts";

/** How many tasks an array may have, and whether that is certain: the scheduler may not answer now. */
export async function arrayLimit(
  { arrayLimit: told }: Pick<Scheduler, "arrayLimit">,
  { maxArraySize }: Pick<JobOptions, "maxArraySize">,
  ask: (call: Call) => Promise<CallAnswer>,
): Promise<{ readonly max: number; readonly isKnown: boolean }> {
  if (maxArraySize !== undefined) return { max: maxArraySize, isKnown: true };
  if (told === undefined) return { max: Number.POSITIVE_INFINITY, isKnown: true };
  const answer = await ask(told.ask);
  const max = answer.kind === "answer" ? told.parse(answer.text) : undefined;
  const isLimited = max !== undefined && max >= 1;
  return { max: isLimited ? max : Number.POSITIVE_INFINITY, isKnown: answer.kind === "answer" };
}

/** The sizes of the arrays in which tasks are submitted. */
export function arraysOf(tasks: number, max: number): number[] {
  return Array.from({ length: Math.ceil(tasks / Math.min(max, tasks)) || 0 }, (_, i) =>
    Math.min(tasks - i * Math.min(max, tasks), max),
  );
}
