import { shellWord } from "../../text/shell-word.ts";
import { formatWalltime } from "../jobs/parse-walltime.ts";
import type { Job, Scheduler, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { jobScript, shebangWords, taskNumber } from "./job-script.ts";
import { keptDirectives } from "./kept-directives.ts";

const states: Readonly<Record<string, TaskState>> = {
  Waiting: "pending",
  Hold: "pending",
  toLaunch: "pending",
  toAckReservation: "pending",
  Launching: "pending",
  Running: "running",
  Suspended: "running",
  Resuming: "running",
  // Its processes may still write.
  Finishing: "running",
  Terminated: "ended",
  toError: "lost",
  Error: "lost",
};
// Kinds of events that mean that a user ended the job.
const userEndEvents = ["FRAG_JOB_REQUEST", "BESTEFFORT_KILL"];
const walltimeEvent = "WALLTIME";

const requeueCode = 99;
// OAR checks the time every ten seconds, and may be busy for ten more. Without this margin, a short grace period would
// be over before the check.
const roundSeconds = 20;
const prefix = "#OAR";

/** `env: oar`. */
export const oar: Scheduler = {
  env: "oar",
  title: "OAR",
  optionNames: ["resource_spec", "memory_per_core_property_name"],
  taskVariable: "OAR_ARRAY_INDEX",
  firstTask: 1,
  idPattern: /^\d{1,20}$/,
  canExclude: true,

  render: (job) =>
    jobScript(withoutProperties(job), {
      prefix,
      directives: directives(job),
      task: taskNumber("OAR_ARRAY_INDEX", 1),
      redirects: true,
    }),
  // The directives are passed as arguments: to read them from the script, oarsub would use a shell that splits its
  // path. The user's shell runs the script.
  submit: (job, file) => ({
    program: "oarsub",
    args: [
      ...keptDirectives(withoutProperties(job), prefix, directives(job)).flatMap(directiveWords),
      // `exec`, because only the first process gets the signal.
      ["exec", ...shebangWords(job.options.shebang).map(shellWord), shellWord(file)].join(" "),
    ],
  }),
  parseSubmitted: (answer) => /^OAR_ARRAY_ID=(\d+)$/m.exec(answer)?.[1] ?? /^OAR_JOB_ID=(\d+)$/m.exec(answer)?.[1],

  status: (ids) => ({ program: "oarstat", args: ["-f", "-J", "--sql", `array_id IN (${ids.join(",")})`] }),
  parseStatus,
  // The error of a cancel call for a job that has ended.
  isGone: (refusal) =>
    refusal
      .split("\n")
      .every((line) => line.trim() === "" || /already killed|is not a valid array job|job does not exist/i.test(line)),

  cancel: (ids) => ({ program: "oardel", args: ["--array", "--", ...ids] }),
  cancelWaiting: (id) => ({
    program: "oardel",
    args: ["--sql", `array_id = ${id} AND state IN ('Waiting','Hold')`],
  }),
  find: (name) => ({ program: "oarstat", args: ["-f", "-J", "--sql", `job_name = '${name}'`] }),
  parseFound: (answer, name) => {
    const found = readJobs(answer).find((job) => job["name"] === name);
    return found === undefined ? undefined : String(found["array_id"]);
  },

  timeLeft: {
    ask: ({ OAR_JOB_ID: id }) => (id === undefined ? undefined : { program: "oarstat", args: ["-f", "-J", "-j", id] }),
    parse: (answer, { nowMs }) => {
      const [job] = readJobs(answer);
      const left = Number(job?.["startTime"]) + Number(job?.["walltime"]) - nowMs / 1000;
      return Number.isFinite(left) ? Math.max(0, Math.floor(left)) : undefined;
    },
  },
  // OAR does this only after more than a minute. Otherwise the task ends, and the driver replaces it like a lost one.
  requeue: ({ OAR_JOB_ID: id }) => (id === undefined ? undefined : { exitCode: requeueCode }),
};

function directives(job: Job): string[] {
  const { name, tasks, options } = job;
  const { queue, account, cores, walltimeSeconds, schedulerOptions } = options;
  const resources = schedulerOptions["resource_spec"] ?? `/nodes=1/core=${cores ?? 1}`;
  const properties = propertiesOf(job);
  return [
    `-n ${name}`,
    `--array ${tasks}`,
    ...(queue === undefined ? [] : [`-q ${queue}`]),
    ...(account === undefined ? [] : [`--project ${account}`]),
    // On one line: several would be alternatives.
    `-l ${resources}${walltimeSeconds === undefined ? "" : `,walltime=${formatWalltime(walltimeSeconds)}`}`,
    ...(properties === "" ? [] : [`-p ${properties}`]),
    "-t idempotent",
    `--checkpoint ${warningSeconds(job)}`,
    "--signal 15",
    "-O /dev/null",
    "-E /dev/null",
  ];
}

/**
 * How long before the end OAR sends the warning: the grace period and OAR's own rounds, but at most half of a short
 * walltime.
 */
function warningSeconds({ options: { graceSeconds, walltimeSeconds = Number.POSITIVE_INFINITY } }: Job): number {
  const grace = Math.ceil(graceSeconds);
  return Math.min(grace + roundSeconds, Math.max(grace, Math.floor(walltimeSeconds / 2)));
}

/** OAR takes only one condition, so those of the user, of the memory and of the nodes are joined. */
function propertiesOf({ options, excluded }: Job): string {
  const { memoryBytes, cores, schedulerOptions, extraDirectives } = options;
  const property = schedulerOptions["memory_per_core_property_name"];
  const memory =
    memoryBytes === undefined || property === undefined || property === "not_applicable"
      ? []
      : [`${property}>=${Math.ceil(memoryBytes / (cores ?? 1) / 1024 ** 2)}`];
  const nodes = excluded.map((node) => `'${node.replaceAll("'", "''")}'`);
  const users = extraDirectives.flatMap((directive) => propertyOf(directive) ?? []);
  const conditions = [
    ...users,
    ...memory,
    ...(nodes.length === 0 ? [] : [`network_address NOT IN (${nodes.join(",")})`]),
  ];
  return conditions.length === 1 ? conditions[0]! : conditions.map((condition) => `(${condition})`).join(" AND ");
}

function withoutProperties(job: Job): Job {
  const extraDirectives = job.options.extraDirectives.filter((directive) => propertyOf(directive) === undefined);
  return { ...job, options: { ...job.options, extraDirectives } };
}

function propertyOf(directive: string): string | undefined {
  const [flag, value] = directiveWords(directive);
  return flag === "-p" || flag === "--property" ? value : undefined;
}

/**
 * Splits a directive as OAR does: the option, then its value to the end of the line. Quotes around the value, as in
 * configs of dask-jobqueue, are removed.
 */
function directiveWords(directive: string): string[] {
  const [, flag = directive, rest = ""] = /^(\S+)\s*(.*)$/.exec(directive.trim()) ?? [];
  const value = /^"(.*)"$|^'([^']*)'$/.exec(rest);
  if (rest === "") return [flag];
  return [flag, value === null ? rest : (value[1] ?? value[2] ?? "")];
}

type OarJob = Readonly<Record<string, unknown>>;

function readJobs(answer: string): OarJob[] {
  if (answer.trim() === "") return [];
  try {
    const parsed: unknown = JSON.parse(answer);
    return typeof parsed === "object" && parsed !== null ? (Object.values(parsed) as OarJob[]) : [];
  } catch {
    return [];
  }
}

function parseStatus(answer: string): TaskStatus[] {
  const newest = new Map<string, { jobId: number; status: TaskStatus }>();
  for (const job of readJobs(answer)) {
    const { array_id: array, array_index: index, Job_Id: jobId, state } = job;
    if (typeof state !== "string" || array === undefined) continue;
    const status = {
      id: String(array),
      task: Math.max(0, Number(index) - 1 || 0),
      state: stateOf(job, state),
      detail: [state, exitOf(job["exit_code"])].filter(Boolean).join(", "),
      node: (job["assigned_network_address"] as string[] | undefined)?.[0],
    };
    // A task that is run again is a new job of the same array with the same index.
    const key = `${array} ${index}`;
    if ((newest.get(key)?.jobId ?? -1) < Number(jobId)) newest.set(key, { jobId: Number(jobId), status });
  }
  return [...newest.values()].map(({ status }) => status);
}

function stateOf(job: OarJob, name: string): TaskState {
  const state = states[name] ?? "unknown";
  if (state !== "ended" && state !== "lost") return state;
  // The exit code counts even if there was a request to end the job: it may have come too late.
  if (state === "ended" && (job["exit_code"] ?? 0) === 0) return "ended";
  const kinds = ((job["events"] as { type?: string }[] | undefined) ?? []).map(({ type }) => type);
  // OAR enforces the walltime with an event of the same kind.
  if (kinds.some((kind) => userEndEvents.includes(kind ?? "")) && !kinds.includes(walltimeEvent)) return "cancelled";
  return "lost";
}

/** `exit_code` is the status of wait(2). */
function exitOf(code: unknown): string | undefined {
  if (typeof code !== "number") return undefined;
  return (code & 127) === 0 ? `exit code ${code >> 8}` : `signal ${code & 127}`;
}
