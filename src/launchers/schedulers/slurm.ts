import { MillraceError } from "../../errors/errors.ts";
import { formatWalltime, parseWalltime } from "../jobs/parse-walltime.ts";
import type { Job, Scheduler, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { isPlainPath, jobScript } from "./job-script.ts";

// The fields of a line of squeue. The reason comes last, because it may be any text.
const fields = "%F|%K|%T|%N|%r";

const states: Readonly<Record<string, TaskState>> = {
  PENDING: "pending",
  CONFIGURING: "pending",
  REQUEUED: "pending",
  REQUEUE_FED: "pending",
  REQUEUE_HOLD: "pending",
  SPECIAL_EXIT: "pending",
  RESV_DEL_HOLD: "pending",
  RUNNING: "running",
  // Not final: its processes may still write.
  COMPLETING: "running",
  STAGE_OUT: "running",
  SIGNALING: "running",
  STOPPED: "running",
  SUSPENDED: "running",
  RESIZING: "running",
  COMPLETED: "ended",
  CANCELLED: "cancelled",
  REVOKED: "cancelled",
  FAILED: "lost",
  TIMEOUT: "lost",
  DEADLINE: "lost",
  NODE_FAIL: "evicted",
  BOOT_FAIL: "evicted",
  LAUNCH_FAILED: "lost",
  RECONFIG_FAIL: "evicted",
  PREEMPTED: "evicted",
  OUT_OF_MEMORY: "lost",
};

/** `env: slurm`. */
export const slurm: Scheduler = {
  env: "slurm",
  title: "Slurm",
  optionNames: ["job_cpu", "job_mem"],
  taskVariable: "SLURM_ARRAY_TASK_ID",
  firstTask: 0,
  idPattern: /^\d{1,20}(_\d{1,10})?$/,
  nodeVariable: "SLURMD_NODENAME",
  canExclude: true,

  render: (job) =>
    jobScript(job, {
      prefix: "#SBATCH",
      directives: directives(job),
      closing: exclusion(job),
      task: "$SLURM_ARRAY_TASK_ID",
    }),
  // `--parsable` prints only the id. All other options are in the script.
  submit: (_job, file) => ({ program: "sbatch", args: ["--parsable", file] }),
  // In a federation the name of the cluster follows.
  parseSubmitted: (answer) => /^(\d+)(;.*)?$/m.exec(answer.trim())?.[1],

  status: (ids) => ({
    program: "squeue",
    args: ["--noheader", "--array", "--states=all", `--jobs=${ids.join(",")}`, `--format=${fields}`],
  }),
  parseStatus,
  isGone: (refusal) => /Invalid job id specified/i.test(refusal),

  cancel: (ids) => ({ program: "scancel", args: ["--", ...ids] }),
  cancelWaiting: (id) => ({ program: "scancel", args: ["--state=PENDING", "--", id] }),

  find: (name) => ({
    program: "squeue",
    args: ["--noheader", "--me", "--states=all", "--format=%F|%j", `--name=${name}`],
  }),
  parseFound: (answer, name) =>
    answer
      .split("\n")
      .map((line) => line.trim().split("|"))
      .find(([, found]) => found === name)?.[0],

  arrayLimit: {
    ask: { program: "scontrol", args: ["show", "config"] },
    // All indices are below this number, and the first is 0.
    parse: (answer) => numberOf(/^MaxArraySize\s*=\s*(\d+)/m.exec(answer)?.[1]),
  },
  timeLeft: {
    ask: (environment) => {
      const id = currentJobId(environment);
      return id === undefined ? undefined : { program: "squeue", args: ["--noheader", `--jobs=${id}`, "--format=%L"] };
    },
    // UNLIMITED, NOT_SET and INVALID are not times.
    parse: (answer) => parseWalltime(answer.trim().split("\n")[0] ?? ""),
  },
  requeue(environment) {
    const id = currentJobId(environment);
    return id === undefined ? undefined : { call: { program: "scontrol", args: ["requeue", id] } };
  },
};

// The last task of an array has the same job number as the array, so the number alone is ambiguous.
function currentJobId(environment: NodeJS.ProcessEnv): string | undefined {
  const array = environment["SLURM_ARRAY_JOB_ID"];
  const task = environment["SLURM_ARRAY_TASK_ID"];
  return array === undefined || task === undefined ? environment["SLURM_JOB_ID"] : `${array}_${task}`;
}

function directives({ name, tasks, options, log }: Job): string[] {
  const { queue, account, cores, memoryBytes, walltimeSeconds, graceSeconds, schedulerOptions } = options;
  const cpus = schedulerOptions["job_cpu"] ?? cores;
  const mem =
    schedulerOptions["job_mem"] ?? (memoryBytes === undefined ? undefined : `${Math.ceil(memoryBytes / 1024 ** 2)}M`);
  return [
    `--job-name=${name}`,
    `--array=0-${tasks - 1}`,
    ...(queue === undefined ? [] : [`--partition=${directiveValue(queue)}`]),
    ...(account === undefined ? [] : [`--account=${directiveValue(account)}`]),
    "--ntasks=1",
    ...(cpus === undefined ? [] : [`--cpus-per-task=${directiveValue(String(cpus))}`]),
    ...(mem === undefined ? [] : [`--mem=${directiveValue(String(mem))}`]),
    // Slurm counts in minutes.
    ...(walltimeSeconds === undefined ? [] : [`--time=${formatWalltime(walltimeSeconds)}`]),
    // B: only to the process of the script, which Node.js has replaced: it passes the request on to its workers.
    `--signal=B:TERM@${Math.min(65_535, Math.ceil(graceSeconds))}`,
    "--requeue",
    "--open-mode=append",
    `--output=${isPlainPath(log) ? `${log}.%a.log` : "/dev/null"}`,
  ];
}

/** Only the last list of excluded nodes counts. So this one contains the user's. */
function exclusion({ options, excluded }: Job): string[] {
  const option = /(?:^|\s)(?:--exclude(?:=|\s+)|-x\s*)(?:"([^"]*)"|'([^']*)'|(\S+))/g;
  const users = options.extraDirectives
    .flatMap((directive) => [...directive.matchAll(option)])
    .map(([, double, single, plain]) => double ?? single ?? plain ?? "");
  const file = users.find((nodes) => nodes.includes("/"));
  if (file !== undefined) {
    throw new MillraceError("BAD_OPTION", `parallel.options.job_extra_directives leaves out the nodes in ${file}.`, {
      hint: "Write their names: --exclude=n1,n[4-7]. Nodes on which jobs die are added to them, which a file does not allow.",
    });
  }
  return excluded.length === 0 ? [] : [`--exclude=${directiveValue([...users.slice(-1), ...excluded].join(","))}`];
}

function parseStatus(answer: string): TaskStatus[] {
  return answer.split("\n").flatMap((line) => {
    const [id, task, state, node, ...reason] = line.trim().split("|");
    if (id === undefined || state === undefined || !/^\d+$/.test(task ?? "")) return [];
    const why = reason.join("|");
    return [
      {
        id,
        task: Number(task),
        state: states[state] ?? "unknown",
        detail: why === "" || why === "None" ? state : `${state} (${why})`,
        node: node === "" || node === undefined ? undefined : node,
      },
    ];
  });
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/**
 * Writes a value in a directive. Slurm parses values like a shell, but expands nothing: in double quotes, a backslash
 * escapes a quote and itself.
 */
function directiveValue(value: string): string {
  return /^[\w.,:/@+%=!&-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
