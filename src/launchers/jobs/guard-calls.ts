import { MillraceError } from "../../errors/errors.ts";
import { isJobName } from "../../run-folder/jobs/check-submission.ts";
import type { Scheduler } from "./scheduler.ts";

/**
 * Returns the same dialect with checks: it refuses ids and names that its scheduler cannot have given, because in a
 * call they could be read as an option or as part of a condition.
 */
export function guardCalls(scheduler: Scheduler): Scheduler {
  const { title, idPattern, status, cancel, cancelWaiting, find, history, parseSubmitted, parseFound } = scheduler;
  const checked = (id: string): string => {
    if (idPattern.test(id)) return id;
    throw invalidId(`${JSON.stringify(id)} is not an id of ${title}`);
  };
  const idOf = (found: string | undefined) => (found !== undefined && idPattern.test(found) ? found : undefined);
  return {
    ...scheduler,
    status: (ids, schedulerOptions) => status(ids.map(checked), schedulerOptions),
    cancel: (ids, schedulerOptions) => cancel(ids.map(checked), schedulerOptions),
    find(name, schedulerOptions) {
      if (!isJobName(name)) throw invalidId(`${JSON.stringify(name)} is not the name of a submission`);
      return find(name, schedulerOptions);
    },
    parseSubmitted: (answer) => idOf(parseSubmitted(answer)),
    parseFound: (answer, name) => idOf(parseFound(answer, name)),
    ...(cancelWaiting === undefined
      ? {}
      : {
          cancelWaiting: (id: string, tasks: readonly number[], schedulerOptions) =>
            cancelWaiting(checked(id), tasks, schedulerOptions),
        }),
    ...(history === undefined
      ? {}
      : { history: { ...history, ask: (id: string, schedulerOptions) => history.ask(checked(id), schedulerOptions) } }),
  } satisfies Scheduler;
}

function invalidId(why: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `No scheduler is called: ${why}.`, {
    hint: "Look at who else writes to the jobs of the run folder; remove the record that holds it.",
  });
}
