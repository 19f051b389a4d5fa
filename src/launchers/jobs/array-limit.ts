import type { CallAnswer } from "./call-program.ts";
import type { JobOptions } from "./job-options.ts";
import type { Call, Scheduler } from "./scheduler.ts";

/** The maximum number of tasks in an array. `isKnown` is false if the scheduler did not answer. */
export async function arrayLimit(
  { arrayLimit: query }: Pick<Scheduler, "arrayLimit">,
  { maxArraySize }: Pick<JobOptions, "maxArraySize">,
  ask: (call: Call) => Promise<CallAnswer>,
): Promise<{ readonly max: number; readonly isKnown: boolean }> {
  if (maxArraySize !== undefined) return { max: maxArraySize, isKnown: true };
  if (query === undefined) return { max: Number.POSITIVE_INFINITY, isKnown: true };
  const answer = await ask(query.ask);
  const max = answer.kind === "answer" ? query.parse(answer.text) : undefined;
  const isLimited = max !== undefined && max >= 1;
  return { max: isLimited ? max : Number.POSITIVE_INFINITY, isKnown: answer.kind === "answer" };
}

/** The sizes of the arrays in which tasks are submitted. */
export function arraysOf(tasks: number, max: number): number[] {
  return Array.from({ length: Math.ceil(tasks / Math.min(max, tasks)) || 0 }, (_, i) =>
    Math.min(tasks - i * Math.min(max, tasks), max),
  );
}
