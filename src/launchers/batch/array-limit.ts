import type { CallAnswer } from "./call-program.ts";
import type { JobOptions } from "./job-options.ts";
import type { Call, Scheduler } from "./scheduler.ts";

/** How many tasks an array may have, and whether that is known for sure: a scheduler may not answer now. */
export async function arrayLimit(
  { arrayLimit: told }: Pick<Scheduler, "arrayLimit">,
  { maxArraySize }: Pick<JobOptions, "maxArraySize">,
  ask: (call: Call) => Promise<CallAnswer>,
): Promise<{ readonly most: number; readonly isKnown: boolean }> {
  if (maxArraySize !== undefined) return { most: maxArraySize, isKnown: true };
  if (told === undefined) return { most: Number.POSITIVE_INFINITY, isKnown: true };
  const answer = await ask(told.ask);
  const most = answer.kind === "answer" ? told.parse(answer.text) : undefined;
  const isLimited = most !== undefined && most >= 1;
  return { most: isLimited ? most : Number.POSITIVE_INFINITY, isKnown: answer.kind === "answer" };
}

/** So many tasks as the arrays they are submitted in. */
export function arraysOf(tasks: number, most: number): number[] {
  return Array.from({ length: Math.ceil(tasks / Math.min(most, tasks)) || 0 }, (_, i) =>
    Math.min(tasks - i * Math.min(most, tasks), most),
  );
}
