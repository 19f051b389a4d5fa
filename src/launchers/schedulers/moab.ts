import { formatWalltime } from "../jobs/parse-walltime.ts";
import type { Job, Scheduler, TaskMoment, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { directiveWord } from "./directive-word.ts";
import { jobScript, shellPath, taskNumber } from "./job-script.ts";
import { pbsBytes } from "./pbs.ts";
import { xmlElements } from "./read-xml.ts";

const states: Readonly<Record<string, TaskState>> = {
  Idle: "pending",
  Hold: "pending",
  UserHold: "pending",
  SystemHold: "pending",
  BatchHold: "pending",
  Deferred: "pending",
  Migrated: "pending",
  Staging: "pending",
  NotQueued: "pending",
  Starting: "running",
  Running: "running",
  Suspended: "running",
  // Its processes may still write.
  Canceling: "running",
  Completed: "ended",
  Vacated: "lost",
  Removed: "cancelled",
};

/** `env: moab`. */
export const moab: Scheduler = {
  env: "moab",
  title: "Moab",
  optionNames: ["resource_spec"],
  taskVariable: "MOAB_JOBARRAYINDEX",
  firstTask: 0,
  idPattern: /^([A-Za-z][\w-]*\.)?\d{1,20}$/,
  canExclude: false,

  render: (job) =>
    jobScript(job, {
      prefix: "#MSUB",
      directives: directives(job),
      task: taskNumber("MOAB_JOBARRAYINDEX", 0),
      redirects: true,
      ignoresShebang: true,
    }),
  submit: (_job, file) => ({ program: "msub", args: [file] }),
  // An empty line, then the id: 1234, or Moab.1234 until the resource manager has the job.
  parseSubmitted: (answer) => /^((?:[A-Za-z][\w-]*\.)?\d+)(?:\[\])?$/m.exec(answer.trim())?.[1],

  status: () => ({ program: "showq", args: ["--xml"] }),
  parseStatus,
  isGone: (refusal) =>
    refusal
      .split("\n")
      .every((line) => line.trim() === "" || /invalid job specified|cannot locate job|already completed/i.test(line)),

  history: {
    ask: () => ({ program: "showq", args: ["-c", "--xml"] }),
    parse: (answer, id) => parseStatus(answer).filter((status) => status.id === id),
  },

  cancel: (ids) => ({ program: "canceljob", args: [...ids] }),
  find: () => ({ program: "showq", args: ["--xml"] }),
  parseFound: (answer, name) => {
    const found = xmlElements(answer, "job").find(({ attributes }) => attributes["JobName"] === name);
    return found === undefined ? undefined : splitId(found.attributes["JobID"] ?? "")?.id;
  },

  timeLeft: {
    ask: ({ MOAB_JOBID: id }) => (id === undefined ? undefined : { program: "showq", args: ["--xml"] }),
    parse: parseTimeLeft,
  },
};

function directives({ name, tasks, options }: Job): string[] {
  const { queue, account, cores, memoryBytes, walltimeSeconds, schedulerOptions } = options;
  const memory = memoryBytes === undefined ? "" : `,mem=${pbsBytes(memoryBytes)}`;
  return [
    `-N ${name}`,
    `-t 0-${tasks - 1}`,
    `-S ${directiveWord("shebang", shellPath(options.shebang))}`,
    ...(queue === undefined ? [] : [`-q ${directiveWord("queue", queue)}`]),
    ...(account === undefined ? [] : [`-A ${directiveWord("account", account)}`]),
    `-l ${schedulerOptions["resource_spec"] ?? `nodes=1:ppn=${cores ?? 1}${memory}`}`,
    ...(walltimeSeconds === undefined ? [] : [`-l walltime=${formatWalltime(walltimeSeconds)}`]),
    // Without it the resource manager does not pass on the task number.
    "-V",
    "-r y",
    "-j oe",
    "-o /dev/null",
  ];
}

/** `45[37]` is task 37 of 45, and `mycluster.45[37]` of mycluster.45. */
function splitId(text: string): { id: string; task: number } | undefined {
  const match = /^((?:[A-Za-z][\w-]*\.)?\d+)(?:\[(\d+)\])?$/.exec(text);
  return match === null ? undefined : { id: match[1]!, task: Number(match[2] ?? 0) };
}

function parseStatus(answer: string): TaskStatus[] {
  return xmlElements(answer, "job").flatMap(({ attributes }) => {
    const { JobID: job = "", State: state, CompletionCode: code, MasterHost: node } = attributes;
    const split = splitId(job);
    if (split === undefined || state === undefined) return [];
    return [
      {
        ...split,
        state: stateOf(state, code),
        detail: code === undefined ? state : `${state}, completion code ${code}`,
        node,
      },
    ];
  });
}

function stateOf(name: string, code: string | undefined): TaskState {
  const state = states[name] ?? "unknown";
  if (state !== "ended" || code === undefined || code === "0") return state;
  return /^CNCLD|^REMOVED/.test(code) ? "cancelled" : "lost";
}

function parseTimeLeft(answer: string, { environment, nowMs }: TaskMoment): number | undefined {
  const job = xmlElements(answer, "job").find(({ attributes }) => attributes["JobID"] === environment["MOAB_JOBID"]);
  const { StartTime: start, ReqAWDuration: limit } = job?.attributes ?? {};
  const left = Number(start) + Number(limit) - nowMs / 1000;
  return Number.isFinite(left) && Number(start) > 0 ? Math.max(0, Math.floor(left)) : undefined;
}
