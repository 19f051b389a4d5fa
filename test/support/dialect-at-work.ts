import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CallAnswer, callProgram } from "../../src/launchers/jobs/call-program.ts";
import { checkJobOptions } from "../../src/launchers/jobs/job-options.ts";
import type { Call, Job, Scheduler, TaskStatus } from "../../src/launchers/jobs/scheduler.ts";

interface SubmittedJob {
  readonly id: string;
  readonly job: Job;
  /** What a task wrote. */
  read(task: number): string;
  /** Looks until the tasks are as wanted; the history is asked for those that the status does not show. */
  until(wanted: (statuses: TaskStatus[]) => boolean): Promise<TaskStatus[]>;
}

export interface DialectAtWork {
  call(made: Call): Promise<CallAnswer>;
  /** Makes a call that must be answered, and returns the answer. */
  textOf(made: Call): Promise<string>;
  /** Submits two tasks by default, from a folder of their own. */
  submit(
    name: string,
    command: readonly string[],
    more?: { tasks?: number; excluded?: string[]; options?: Record<string, unknown> },
  ): Promise<SubmittedJob>;
}

/** A dialect that speaks to a real scheduler. */
export function dialectAtWork(scheduler: Scheduler, environment: NodeJS.ProcessEnv, folder: string): DialectAtWork {
  const call = (made: Call) => callProgram(made, { timeoutMs: 200_000, environment });
  const textOf = async (made: Call) => {
    const answer = await call(made);
    if (answer.kind !== "answer") throw new Error(`${made.program}: ${answer.why}`);
    return answer.text;
  };
  const look = async ({ tasks, options }: Job, id: string): Promise<TaskStatus[]> => {
    const answer = await call(scheduler.status([id], options.schedulerOptions));
    const statuses = scheduler.parseStatus("text" in answer ? answer.text : "").filter((status) => status.id === id);
    const { history } = scheduler;
    if (history === undefined || statuses.length === tasks) return statuses;
    const old = await call(history.ask(id, options.schedulerOptions));
    const past = old.kind === "answer" ? history.parse(old.text, id) : [];
    return [...statuses, ...past.filter(({ task }) => !statuses.some((status) => status.task === task))];
  };
  return {
    call,
    textOf,
    async submit(name, command, { tasks = 2, excluded = [], options = {} } = {}) {
      const base = join(folder, name);
      mkdirSync(base);
      const checked = checkJobOptions({ env: scheduler.env, nWorkers: tasks, options }, scheduler);
      const job: Job = { name: `mr-${name}`, tasks, options: checked, command, log: join(base, "job"), excluded };
      const file = join(base, "job script");
      writeFileSync(file, scheduler.render(job));
      const id = scheduler.parseSubmitted(await textOf(scheduler.submit(job, file)))!;
      const until = async (wanted: (statuses: TaskStatus[]) => boolean) => {
        const giveUpMs = Date.now() + 150_000;
        for (;;) {
          const statuses = (await look(job, id)).sort((a, b) => a.task - b.task);
          if (wanted(statuses)) return statuses;
          if (Date.now() > giveUpMs) throw new Error(`${name}: last seen as ${JSON.stringify(statuses)}`);
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      };
      return { id, job, until, read: (task) => readFileSync(`${job.log}.${task}.log`, "utf8") };
    },
  };
}

/** Whether there are `tasks` tasks, all of them in one of these states. */
export function areAll(tasks: number, ...states: TaskStatus["state"][]): (statuses: TaskStatus[]) => boolean {
  return (statuses) => statuses.length === tasks && statuses.every(({ state }) => states.includes(state));
}

/** A command that prints its words as JSON. */
export function showingWords(words: readonly string[]): string[] {
  return [process.execPath, "-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...words];
}
