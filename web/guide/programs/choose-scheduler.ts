// Replaces src/launchers/choose-scheduler.ts: the same schedulers with the same job scripts, but all use the one
// scheduler program of the guide's machine.
import { schedulers as real } from "../../../src/launchers/choose-scheduler.ts";
import type { Scheduler, TaskStatus } from "../../../src/launchers/jobs/scheduler.ts";
import type { QueueOrder } from "../machine/queue-program.ts";

export const schedulers: readonly Scheduler[] = real.map(askedByQueue);

export function chooseScheduler(env: string): Scheduler | undefined {
  return schedulers.find((scheduler) => scheduler.env === env);
}

// The ids are those of the machine's queue.
const idPattern = /^\w[\w.-]*$/;

function askedByQueue({ env, title, optionNames, taskVariable, firstTask, render }: Scheduler): Scheduler {
  const queue = (...args: readonly string[]) => ({ program: "queue", args });
  return {
    env,
    title,
    optionNames,
    taskVariable,
    firstTask,
    idPattern,
    render,
    canExclude: false,
    submit({ name, tasks, command }) {
      const order: QueueOrder = { name, tasks, command, variable: taskVariable, first: firstTask };
      return queue("submit", JSON.stringify(order));
    },
    parseSubmitted: (answer) => answer,
    status: (ids) => queue("status", ...ids),
    parseStatus: (answer) => JSON.parse(answer) as TaskStatus[],
    cancel: (ids) => queue("cancel", ...ids),
    find: (name) => queue("find", name),
    parseFound: (answer) => answer || undefined,
  };
}
