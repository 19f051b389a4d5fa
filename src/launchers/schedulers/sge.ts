import type { Job, Scheduler, TaskMoment, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { directiveWord } from "./directive-word.ts";
import { jobScript, shellPath, taskNumber } from "./job-script.ts";
import { xmlElements, xmlText } from "./read-xml.ts";
import { taskRanges } from "./task-ranges.ts";

// Letters of qstat: d being deleted, E error, h held, q queued, R rerun, r running, s S T suspended, t starting.
const states: Readonly<Record<string, TaskState>> = {
  qw: "pending",
  hqw: "pending",
  hRwq: "pending",
  Rq: "pending",
  Rqw: "pending",
  r: "running",
  t: "running",
  Rr: "running",
  Rt: "running",
  s: "running",
  ts: "running",
  S: "running",
  tS: "running",
  T: "running",
  tT: "running",
  Rs: "running",
  Rts: "running",
  RS: "running",
  RtS: "running",
  RT: "running",
  RtT: "running",
  // Its processes may still write.
  dr: "running",
  dt: "running",
  dRr: "running",
  dRt: "running",
  ds: "running",
  dS: "running",
  dT: "running",
  dRs: "running",
  dRS: "running",
  dRT: "running",
  dqw: "cancelled",
  // It stays in this state until a user clears the error.
  Eqw: "lost",
  Ehqw: "lost",
  EhRqw: "lost",
  z: "ended",
};

const requeueCode = 99;

/** `env: sge`: Grid Engine and its descendants. */
export const sge: Scheduler = {
  env: "sge",
  title: "Grid Engine",
  optionNames: ["resource_spec", "parallel_environment"],
  taskVariable: "SGE_TASK_ID",
  firstTask: 1,
  idPattern: /^\d{1,20}$/,
  canExclude: true,

  render: (job) =>
    jobScript(job, {
      prefix: "#$",
      directives: directives(job),
      closing: exclusion(job),
      task: taskNumber("SGE_TASK_ID", 1),
      // Its own $TASK_ID counts from 1.
      redirects: true,
      ignoresShebang: true,
    }),
  submit: (_job, file) => ({ program: "qsub", args: ["-terse", file] }),
  // For an array: the id, a dot and its range.
  parseSubmitted: (answer) => /^(\d+)(\.[\d:-]+)?$/m.exec(answer.trim())?.[1],

  // Asked for ids, qstat prints pages of details. Without ids it lists the jobs of the user.
  status: () => ({ program: "qstat", args: ["-xml"] }),
  parseStatus,
  isGone: (refusal) =>
    refusal.split("\n").every((line) => line.trim() === "" || /job(-array task)? "?[\d.]+"? does not exist/.test(line)),

  // Ended tasks are not listed any more: how they ended is only in the accounting.
  history: {
    ask: (id) => ({ program: "qacct", args: ["-j", id] }),
    parse: parseHistory,
  },

  // Without `--` before the ids: qdel would read it as a job.
  cancel: (ids) => ({ program: "qdel", args: [...ids] }),
  cancelWaiting: (id, tasks) => ({ program: "qdel", args: taskRanges(tasks, 1).map((range) => `${id}.${range}`) }),
  find: () => ({ program: "qstat", args: ["-xml"] }),
  parseFound: (answer, name) =>
    xmlElements(answer, "job_list")
      .filter(({ content }) => xmlText(content, "JB_name") === name)
      .map(({ content }) => xmlText(content, "JB_job_number"))[0],

  arrayLimit: {
    ask: { program: "qconf", args: ["-sconf"] },
    parse: (answer) => {
      const max = Number(/^max_aj_tasks\s+(\d+)/m.exec(answer)?.[1] ?? 0);
      return max === 0 ? undefined : max;
    },
  },
  timeLeft: {
    ask: ({ JOB_ID: id, SGE_TASK_ID: task }) =>
      id === undefined || task === undefined ? undefined : { program: "qstat", args: ["-xml", "-r"] },
    parse: parseTimeLeft,
  },
  requeue: ({ SGE_TASK_ID: task }) => (task === undefined ? undefined : { exitCode: requeueCode }),
};

function directives({ name, tasks, options }: Job): string[] {
  const { queue, account, cores, walltimeSeconds, schedulerOptions } = options;
  const environment = schedulerOptions["parallel_environment"];
  return [
    `-N ${name}`,
    `-t 1-${tasks}`,
    // Otherwise the shell of the queue runs the script, and ignores its first line.
    `-S ${directiveWord("shebang", shellPath(options.shebang))}`,
    ...(queue === undefined ? [] : [`-q ${directiveWord("queue", queue)}`]),
    ...(account === undefined ? [] : [`-P ${directiveWord("account", account)}`]),
    ...(environment === undefined || cores === undefined
      ? []
      : [`-pe ${directiveWord("parallel_environment", String(environment))} ${cores}`]),
    ...(schedulerOptions["resource_spec"] === undefined ? [] : [`-l ${schedulerOptions["resource_spec"]}`]),
    ...(walltimeSeconds === undefined ? [] : [`-l h_rt=${walltimeSeconds}`]),
    "-cwd",
    "-j y",
    "-o /dev/null",
    // Otherwise a task on a dead host would stay in the state running.
    "-r y",
    // SIGUSR2 some time before the kill; there is no SIGTERM.
    "-notify",
  ];
}

/** If there are several requests for a host, the last one counts. So this one contains the user's. */
function exclusion({ options, excluded }: Job): string[] {
  if (excluded.length === 0) return [];
  const { schedulerOptions, extraDirectives } = options;
  const requests = [
    String(schedulerOptions["resource_spec"] ?? ""),
    ...extraDirectives.flatMap((line) => /^-l\s+(.*)/.exec(line)?.[1] ?? []),
  ];
  const asked = requests
    .flatMap((request) => [...request.matchAll(/(?:^|[\s,"'])(?:h|hostname)=([^\s,"']+)/g)])
    .at(-1)?.[1];
  const nodes = excluded.map((node) => `!${node}`).join("&");
  return [`-l h=${asked === undefined ? nodes : `(${asked})&${nodes}`}`];
}

function parseStatus(answer: string): TaskStatus[] {
  return xmlElements(answer, "job_list").flatMap(({ content }) => {
    const id = xmlText(content, "JB_job_number");
    const state = xmlText(content, "state");
    if (id === undefined || state === undefined) return [];
    const [, node] = (xmlText(content, "queue_name") ?? "").split("@");
    const status = { id, state: states[state] ?? ("unknown" as const), detail: state, node };
    return taskNumbers(xmlText(content, "tasks")).map((task) => ({ ...status, task }));
  });
}

/** The task numbers in `3`, `5-8:1` or `7,9`, counted from 0. A job without an array has no such text. */
function taskNumbers(text: string | undefined): number[] {
  if (text === undefined) return [0];
  return text.split(",").flatMap((part) => {
    const match = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part.trim());
    if (match === null) return [];
    const [first, last, step] = [Number(match[1]), Number(match[2] ?? match[1]), Number(match[3] ?? 1)];
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step - 1);
  });
}

/** `failed` and `exit_status` are needed both: a task whose host died has the exit status 0. */
function parseHistory(answer: string, id: string): TaskStatus[] {
  const statuses = new Map<number, TaskStatus>();
  for (const record of answer.split(/^=+$/m)) {
    const field = (name: string) => new RegExp(`^${name}\\s+(.*?)\\s*$`, "m").exec(record)?.[1]?.replace(/\s+/g, " ");
    if (field("jobnumber") !== id) continue;
    const failed = Number.parseInt(field("failed") ?? "", 10);
    const exit = Number.parseInt(field("exit_status") ?? "", 10);
    const task = Math.max(0, Number(field("taskid") ?? 0) - 1 || 0);
    const state = failed === 25 ? "pending" : failed === 0 && exit === 0 ? "ended" : "lost";
    const detail = `failed ${field("failed")}, exit status ${field("exit_status")}`;
    // Records are in the order of their ends. If a task ran several times, the last record counts.
    statuses.set(task, { id, task, state, detail, node: field("hostname") });
  }
  return [...statuses.values()];
}

function parseTimeLeft(answer: string, { environment, nowMs }: TaskMoment): number | undefined {
  const job = xmlElements(answer, "job_list").find(
    ({ content }) =>
      xmlText(content, "JB_job_number") === environment["JOB_ID"] &&
      (xmlText(content, "tasks") ?? "undefined") === environment["SGE_TASK_ID"],
  );
  if (job === undefined) return undefined;
  const limit = xmlElements(job.content, "hard_request").find(({ attributes }) => attributes["name"] === "h_rt");
  const startMs = Date.parse(xmlText(job.content, "JAT_start_time") ?? "");
  const left = startMs / 1000 + Number(limit?.content ?? Number.NaN) - nowMs / 1000;
  return Number.isFinite(left) ? Math.max(0, Math.floor(left)) : undefined;
}
