import { MillraceError } from "../../errors/errors.ts";
import { parseMemory } from "../jobs/parse-memory.ts";
import type { Job, Scheduler, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { directiveWord } from "./directive-word.ts";
import { jobScript, taskNumber } from "./job-script.ts";
import { taskRanges } from "./task-ranges.ts";

const states: Readonly<Record<string, TaskState>> = {
  PEND: "pending",
  PROV: "pending",
  PSUSP: "pending",
  WAIT: "pending",
  FWD_PEND: "pending",
  RUN: "running",
  USUSP: "running",
  SSUSP: "running",
  DONE: "ended",
  EXIT: "lost",
  // The host was lost, and the job was removed.
  ZOMBI: "lost",
};
// Reasons of an EXIT that begin with one of these: a user ended the job.
const userEndReasons = ["TERM_OWNER", "TERM_ADMIN", "TERM_FORCE_OWNER", "TERM_FORCE_ADMIN"];

const requeueCode = 99;
const units = ["kb", "mb", "gb", "tb", "pb", "eb", "zb"];

/** `env: lsf`. */
export const lsf: Scheduler = {
  env: "lsf",
  title: "LSF",
  optionNames: ["ncpus", "mem", "lsf_units", "use_stdin"],
  taskVariable: "LSB_JOBINDEX",
  firstTask: 1,
  idPattern: /^\d{1,20}$/,
  canExclude: true,

  render: (job) =>
    jobScript(job, {
      prefix: "#BSUB",
      directives: directives(job),
      task: taskNumber("LSB_JOBINDEX", 1),
      // Its own %I counts from 1.
      redirects: true,
    }),
  // bsub reads directives from its standard input. It reads them from a file only if the cluster is configured for that.
  submit: (job, file) =>
    job.options.schedulerOptions["use_stdin"] === false
      ? { program: "bsub", args: [file] }
      : { program: "bsub", args: [], input: lsf.render(job) },
  parseSubmitted: (answer) => /^Job <(\d+)> is submitted/m.exec(answer)?.[1],

  status: (ids) => ({
    program: "bjobs",
    args: ["-noheader", "-o", "jobid jobindex stat exit_code exec_host exit_reason delimiter='|'", ...ids],
  }),
  parseStatus,
  isGone: (refusal) =>
    refusal
      .split("\n")
      .every((line) => line.trim() === "" || /is not found|has already finished|No matching job/i.test(line)),

  cancel: (ids) => ({ program: "bkill", args: [...ids] }),
  cancelWaiting: (id, tasks) => ({ program: "bkill", args: [`${id}[${taskRanges(tasks, 1).join(",")}]`] }),
  find: (name) => ({ program: "bjobs", args: ["-a", "-noheader", "-o", "jobid job_name delimiter='|'", "-J", name] }),
  parseFound: (answer, name) =>
    answer
      .split("\n")
      .map((line) => line.trim().split("|"))
      .find(([, found]) => found?.replace(/\[.*$/, "") === name)?.[0],

  arrayLimit: {
    ask: { program: "bparams", args: ["-a"] },
    parse: (answer) => {
      const max = /MAX_JOB_ARRAY_SIZE\s*=\s*(\d+)/.exec(answer)?.[1];
      return max === undefined ? undefined : Number(max);
    },
  },
  timeLeft: {
    ask: ({ LSB_JOBID: id, LSB_JOBINDEX: index }) =>
      id === undefined
        ? undefined
        : {
            program: "bjobs",
            args: ["-noheader", "-o", "time_left", index === undefined || index === "0" ? id : `${id}[${index}]`],
          },
    // Hours and minutes, followed by a letter for the kind of limit.
    parse: (answer) => {
      const match = /^\s*(\d+):(\d+)\b/.exec(answer);
      return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60;
    },
  },
  requeue: ({ LSB_JOBID: id }) => (id === undefined ? undefined : { exitCode: requeueCode }),
};

function directives({ name, tasks, options, excluded }: Job): string[] {
  const { queue, account, cores, schedulerOptions } = options;
  const slots = Number(schedulerOptions["ncpus"] ?? cores ?? 1);
  return [
    `-J ${name}[1-${tasks}]`,
    ...(queue === undefined ? [] : [`-q ${directiveWord("queue", queue)}`]),
    ...(account === undefined ? [] : [`-P ${directiveWord("account", account)}`]),
    `-n ${slots}`,
    ...(slots > 1 ? ['-R "span[hosts=1]"'] : []),
    ...memoryLimit(options),
    ...timeLimit(options),
    ...(excluded.length === 0 ? [] : [`-R "select[${excluded.map((node) => `hname!='${node}'`).join(" && ")}]"`]),
    `-Q ${requeueCode}`,
    // Rerun the job if its host is lost.
    "-r",
    "-o /dev/null",
  ];
}

/** The limit and the warning, in minutes. A short job gets no warning. */
function timeLimit({ walltimeSeconds, graceSeconds }: Job["options"]): string[] {
  if (walltimeSeconds === undefined) return [];
  const [limit, warning] = [Math.ceil(walltimeSeconds / 60), Math.ceil(graceSeconds / 60)];
  return [`-W ${limit}`, ...(warning < limit ? [`-wt ${warning}`, "-wa TERM"] : [])];
}

/** In the unit of the cluster if it is known, otherwise with a unit, which newer versions understand. */
function memoryLimit({ memoryBytes, schedulerOptions }: Job["options"]): string[] {
  const { mem, lsf_units: unit } = schedulerOptions;
  const bytes = typeof mem === "string" ? parseMemory(mem) : ((mem as number | undefined) ?? memoryBytes);
  if (bytes === undefined) return [];
  if (unit === undefined) return [`-M ${Math.ceil(bytes / 1000 ** 2)}MB`];
  const power = units.findIndex((name) => name[0] === String(unit)[0]?.toLowerCase());
  if (power < 0) {
    throw new MillraceError("BAD_OPTION", `parallel.options.lsf_units is ${JSON.stringify(unit)}.`, {
      hint: `Valid: ${units.join(", ")}.`,
    });
  }
  return [`-M ${Math.ceil(bytes / 1000 ** (power + 1))}`];
}

function parseStatus(answer: string): TaskStatus[] {
  return answer.split("\n").flatMap((line) => {
    const [id = "", index, stat, exit, host, ...rest] = line.trim().split("|");
    if (!/^\d+/.test(id) || stat === undefined) return [];
    const reason = rest.join("|");
    const wasEndedByUser = stat === "EXIT" && userEndReasons.some((beginning) => reason.startsWith(beginning));
    const details = [stat, hasValue(exit) && `exit code ${exit}`, hasValue(reason) && reason].filter(Boolean);
    return [
      {
        // A cluster may be configured to show the index with the id.
        id: /^\d+/.exec(id)![0],
        // A job without an array has the index 0.
        task: Math.max(0, Number(index) - 1 || 0),
        state: wasEndedByUser ? "cancelled" : (states[stat] ?? "unknown"),
        detail: details.join(", "),
        node: hasValue(host) ? host!.split(":")[0]!.replace(/^\d+\*/, "") : undefined,
      } satisfies TaskStatus,
    ];
  });
}

function hasValue(field: string | undefined): boolean {
  return field !== undefined && field !== "" && field !== "-";
}
