// Stands in the place of src/launchers/batch/choose-scheduler.ts: the same schedulers with the same job scripts, but all of
// them are asked by the one program that the guide's machine has for it.
import { schedulers as real } from "../../../src/launchers/batch/choose-scheduler.ts";
import type { Scheduler, TaskSight } from "../../../src/launchers/batch/scheduler.ts";
import type { QueueOrder } from "../machine/queue-program.ts";

export const schedulers: readonly Scheduler[] = real.map(askedByQueue);

export function chooseScheduler(env: string): Scheduler | undefined {
  return schedulers.find((scheduler) => scheduler.env === env);
}

function askedByQueue({ env, title, ownOptions, taskVariable, firstTask, render }: Scheduler): Scheduler {
  const queue = (...args: readonly string[]) => ({ program: "queue", args });
  return {
    env,
    title,
    ownOptions,
    taskVariable,
    firstTask,
    render,
    canExclude: false,
    submit({ name, tasks, command }) {
      const order: QueueOrder = { name, tasks, command, variable: taskVariable, first: firstTask };
      return queue("submit", JSON.stringify(order));
    },
    parseSubmitted: (answer) => answer,
    status: (ids) => queue("status", ...ids),
    parseStatus: (answer) => JSON.parse(answer) as TaskSight[],
    cancel: (ids) => queue("cancel", ...ids),
    find: (name) => queue("find", name),
    parseFound: (answer) => answer || undefined,
  };
}
