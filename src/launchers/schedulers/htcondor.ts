import { MillraceError } from "../../errors/errors.ts";
import { parseMemory } from "../jobs/parse-memory.ts";
import type { Call, Job, Scheduler, SchedulerOptions, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { shebangWords, shellLines } from "./job-script.ts";
import { keptDirectives } from "./kept-directives.ts";

// Values of the attribute JobStatus.
const states: Readonly<Record<number, TaskState>> = {
  1: "pending",
  2: "running",
  3: "cancelled",
  4: "ended",
  // Held: it waits until a user releases it. The reason is shown.
  5: "pending",
  6: "running",
  7: "running",
};
const titles = ["", "idle", "running", "removed", "completed", "held", "transferring output", "suspended"];

const attributes = [
  "ClusterId",
  "ProcId",
  "JobStatus",
  "RemoteHost",
  "LastRemoteHost",
  "HoldReason",
  "RemoveReason",
  "ExitBySignal",
  "ExitCode",
  "ExitSignal",
];

const taskVariable = "CONDOR_PROCESS";
const requeueCode = 99;
// The reason of a removal because of the walltime, not by a user.
const walltimeReason = "walltime";

/** `env: htcondor`. */
export const htcondor: Scheduler = {
  env: "htcondor",
  title: "HTCondor",
  optionNames: ["disk", "submit_command_extra", "cancel_command_extra"],
  placeOptions: ["submit_command_extra", "cancel_command_extra"],
  taskVariable,
  firstTask: 0,
  idPattern: /^\d{1,20}$/,
  canExclude: true,

  render,
  submit: ({ options }, file) => ({
    program: "condor_submit",
    args: [...words(options.schedulerOptions, "submit_command_extra"), "-terse", file],
  }),
  // The first and the last job: 12.0 - 12.9. Some wrappers ignore -terse, hence the second pattern.
  parseSubmitted: (answer) =>
    (/^(\d+)\.\d+ - \d+\.\d+/m.exec(answer) ?? /submitted to cluster (\d+)/.exec(answer))?.[1],

  status: (ids, schedulerOptions) => ({
    program: "condor_q",
    args: [...scheddOf(schedulerOptions), "-json", "-attributes", attributes.join(","), ...ids],
  }),
  parseStatus,
  isGone: (refusal) =>
    refusal
      .split("\n")
      .every((line) => line.trim() === "" || /Couldn't find\/remove all jobs|not found|No matching/i.test(line)),

  history: {
    ask: (id, schedulerOptions) => ({
      program: "condor_history",
      args: [...scheddOf(schedulerOptions), "-json", "-attributes", attributes.join(","), id],
    }),
    parse: parseStatus,
  },

  // Its programs do not know `--` as the end of options: only the pattern of ids protects the call.
  cancel: (ids, schedulerOptions) => remove(schedulerOptions, ids),
  // Idle or held.
  cancelWaiting: (id, _tasks, schedulerOptions) =>
    remove(schedulerOptions, ["-constraint", `ClusterId == ${id} && (JobStatus == 1 || JobStatus == 5)`]),
  find: (name, schedulerOptions) => ({
    program: "condor_q",
    args: [
      ...scheddOf(schedulerOptions),
      "-json",
      "-attributes",
      "ClusterId,JobBatchName",
      "-constraint",
      `JobBatchName == "${name}"`,
    ],
  }),
  parseFound: (answer, name) => {
    const ad = readAds(answer).find(({ JobBatchName }) => JobBatchName === name);
    return ad === undefined ? undefined : String(ad["ClusterId"]);
  },

  arrayLimit: {
    ask: { program: "condor_config_val", args: ["MAX_JOBS_PER_SUBMISSION"] },
    parse: (answer) => {
      const max = Number.parseInt(answer, 10);
      return max > 0 ? max : undefined;
    },
  },
  requeue: (environment) => (environment[taskVariable] === undefined ? undefined : { exitCode: requeueCode }),
};

/**
 * A submit description. The job is a shell with the script as an argument: a script in a file would have to be
 * transferred to the machine.
 */
function render(job: Job): string {
  const { name, tasks, options } = job;
  const { account, cores, memoryBytes, walltimeSeconds, graceSeconds, schedulerOptions, queue } = options;
  if (queue !== undefined) {
    throw new MillraceError("BAD_OPTION", "parallel.options.queue is not taken: HTCondor has no queues.", {
      hint: "Choose machines with a line `requirements = …` in job_extra_directives.",
    });
  }
  const disk =
    typeof schedulerOptions["disk"] === "string"
      ? parseMemory(schedulerOptions["disk"])
      : (schedulerOptions["disk"] as number | undefined);
  const [program = "/bin/sh", ...rest] = shebangWords(options.shebang);
  if (account !== undefined && !/^[\w.@-]+$/.test(account)) {
    throw new MillraceError(
      "BAD_OPTION",
      `parallel.options.account is ${JSON.stringify(account)}: no accounting group.`,
      {
        hint: "A group of HTCondor is written with letters, digits, dots, dashes and underscores.",
      },
    );
  }
  // The task number is passed as $0 of the script: a line `environment = …` of the user would replace ours.
  const script = [`${taskVariable}=$0 && export ${taskVariable}`, ...shellLines(job, `$${taskVariable}`)].join("\n");
  const lines = [
    "universe = vanilla",
    `batch_name = ${name}`,
    `executable = ${program}`,
    "transfer_executable = false",
    `arguments = "${condorArguments([...rest, "-c", evaluating(script), "$(Process)"])}"`,
    ...(account === undefined ? [] : [`accounting_group = ${account}`]),
    `request_cpus = ${cores ?? 1}`,
    ...(memoryBytes === undefined ? [] : [`request_memory = ${Math.ceil(memoryBytes / 1024 ** 2)}`]),
    ...(disk === undefined ? [] : [`request_disk = ${Math.ceil(disk / 1024)}`]),
    "kill_sig = SIGTERM",
    `job_max_vacate_time = ${Math.ceil(graceSeconds)}`,
    // Only for a job that does not leave by itself: a removed job is not run again.
    ...(walltimeSeconds === undefined
      ? []
      : [
          `periodic_remove = (JobStatus == 2) && (time() - EnteredCurrentStatus > ${walltimeSeconds})`,
          `periodic_remove_reason = "${walltimeReason}"`,
        ]),
    `on_exit_remove = (ExitBySignal =?= True) || (ExitCode =!= ${requeueCode})`,
    "output = /dev/null",
    "error = /dev/null",
  ];
  return [...keptDirectives(job, "", lines, exclusion(job)), `queue ${tasks}`, ""].join("\n");
}

/** If there are several requirements, the last one counts. So this one contains the user's. */
function exclusion({ options, excluded }: Job): string[] {
  if (excluded.length === 0) return [];
  const users = options.extraDirectives.flatMap((line) => /^\s*requirements\s*=\s*(.*?)\s*$/i.exec(line)?.[1] ?? []);
  const conditions = [
    ...users.slice(-1).map((one) => `(${one})`),
    ...excluded.map((node) => `(TARGET.Machine =!= "${node}")`),
  ];
  return [`requirements = ${conditions.join(" && ")}`];
}

/**
 * A shell command that runs a script, as one plain line of ASCII without a dollar: HTCondor expands dollars twice, on
 * submission and on the machine, and they cannot be escaped for both.
 */
function evaluating(script: string): string {
  const octal = (byte: number) => `\\0${byte.toString(8).padStart(3, "0")}`;
  const text = [...Buffer.from(script)]
    .map((byte) => (byte === 10 ? "\\n" : isPlain(byte) ? String.fromCharCode(byte) : octal(byte)))
    .join("");
  return `eval "\`printf %b '${text}'\`"`;
}

// No quote, backslash, dollar or backtick, and nothing but ASCII.
function isPlain(byte: number): boolean {
  return byte >= 32 && byte < 127 && !"'\"\\$`".includes(String.fromCharCode(byte));
}

/**
 * Writes words for the double quotes of HTCondor's newer syntax: quotes are doubled, words with blanks are in single
 * quotes.
 */
function condorArguments(list: readonly string[]): string {
  return list
    .map((word) => {
      const doubled = word.replaceAll('"', '""').replaceAll("'", "''");
      return /^[^\s'"]+$/.test(word) ? word : `'${doubled}'`;
    })
    .join(" ");
}

type Ad = Readonly<Record<string, unknown>>;

function readAds(answer: string): Ad[] {
  if (answer.trim() === "") return [];
  try {
    const parsed: unknown = JSON.parse(answer);
    return Array.isArray(parsed) ? (parsed as Ad[]) : [];
  } catch {
    return [];
  }
}

function parseStatus(answer: string): TaskStatus[] {
  return readAds(answer).flatMap((ad) => {
    const { ClusterId: cluster, ProcId: task, JobStatus: status } = ad;
    if (typeof cluster !== "number" || typeof task !== "number" || typeof status !== "number") return [];
    const host = ad["RemoteHost"] ?? ad["LastRemoteHost"];
    const why = ad["HoldReason"] ?? ad["RemoveReason"];
    return [
      {
        id: String(cluster),
        task,
        state: stateOf(ad, status),
        detail: [titles[status] ?? `status ${status}`, exitOf(ad), why].filter(Boolean).join(", "),
        // slot1_2@machine
        node: typeof host === "string" ? host.replace(/^.*@/, "") : undefined,
      },
    ];
  });
}

function stateOf(ad: Ad, status: number): TaskState {
  const state = states[status] ?? "unknown";
  if (state === "ended") return ad["ExitBySignal"] === true || (ad["ExitCode"] ?? 0) !== 0 ? "lost" : "ended";
  const reason = String(ad["RemoveReason"] ?? "");
  return state === "cancelled" && (reason === walltimeReason || /PeriodicRemove/i.test(reason)) ? "lost" : state;
}

function exitOf(ad: Ad): string | undefined {
  if (ad["ExitBySignal"] === true) return `signal ${ad["ExitSignal"]}`;
  return ad["ExitCode"] === undefined ? undefined : `exit code ${ad["ExitCode"]}`;
}

// HTCondor accepts abbreviated options. -remote is like -name, and transfers the files too.
const scheddWord = /^--?(n|na|nam|name|r|re|rem|remo|remot|remote)$/;
const poolWord = /^--?(po|poo|pool)$/;
const addressWord = /^--?(ad|add|addr)$/;

/** The options that name the schedd: only the schedd that took a job knows it. */
function scheddOf(schedulerOptions: SchedulerOptions): string[] {
  const extra = words(schedulerOptions, "submit_command_extra");
  return extra.flatMap((word, i) => {
    const value = extra[i + 1];
    if (value === undefined) return [];
    return scheddWord.test(word) ? ["-name", value] : poolWord.test(word) ? ["-pool", value] : [];
  });
}

function remove(schedulerOptions: SchedulerOptions, which: readonly string[]): Call {
  const extra = words(schedulerOptions, "cancel_command_extra");
  const hasSchedd = extra.some((word) => scheddWord.test(word) || addressWord.test(word));
  return { program: "condor_rm", args: [...(hasSchedd ? [] : scheddOf(schedulerOptions)), ...extra, ...which] };
}

/** Reads an option that is a list of words, or a text with several words. */
function words(schedulerOptions: SchedulerOptions, name: string): string[] {
  const value = schedulerOptions[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? [...value] : String(value).split(/\s+/).filter(Boolean);
}
