import { MillraceError } from "../../errors/errors.ts";
import type { Scheduler } from "./scheduler.ts";

const temporary =
  /temporarily|timed? ?out|unable to contact|connection (refused|reset)|try (again|later)|not responding|resource temporarily unavailable|communication error/i;
const unanswered = /timed? ?out|connection reset|not responding|no response|communication (error|failure)/i;

/** Whether the call may succeed if it is repeated. */
export function isTemporary(refusal: string): boolean {
  return temporary.test(refusal);
}

/** Whether the scheduler may have made the submission although its program failed, because only the answer was lost. */
export function mayHaveBeenMade(refusal: string): boolean {
  return unanswered.test(refusal);
}

/** The error if this host does not have the programs of the scheduler. */
export function schedulerAbsent({ title, env }: Scheduler, why: string): MillraceError {
  return new MillraceError("SCHEDULER_FAILED", `env: ${env} needs ${title}, but ${why}.`, {
    hint: "Start the run on a host from which jobs can be submitted; `millrace doctor` shows what answers here.",
  });
}
