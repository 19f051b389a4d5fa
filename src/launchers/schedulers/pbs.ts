import { formatWalltime, parseWalltime } from "../jobs/parse-walltime.ts";
import type { Job, Scheduler, TaskState, TaskStatus } from "../jobs/scheduler.ts";
import { directiveWord } from "./directive-word.ts";
import { jobScript, shellPath, taskNumber } from "./job-script.ts";

const states: Readonly<Record<string, TaskState>> = {
  Q: "pending",
  H: "pending",
  W: "pending",
  // Being moved, or moved, to another server.
  T: "pending",
  M: "pending",
  R: "running",
  S: "running",
  U: "running",
  // Ending: its processes may still write.
  E: "running",
  X: "ended",
  F: "ended",
  C: "ended",
};

// The substate of a finished job that was deleted.
const deletedSubstate = "91";

/** `env: pbs`: PBS Professional and OpenPBS. */
export const pbs: Scheduler = {
  env: "pbs",
  title: "PBS",
  optionNames: ["resource_spec"],
  taskVariable: "PBS_ARRAY_INDEX",
  firstTask: 0,
  idPattern: /^\d{1,20}(\[\])?(\.[A-Za-z0-9][\w.-]*)?$/,
  canExclude: false,

  render: (job) =>
    jobScript(job, {
      prefix: "#PBS",
      directives: directives(job),
      task: taskNumber("PBS_ARRAY_INDEX", 0),
      // PBS copies its own output files only after a task has ended.
      redirects: true,
      ignoresShebang: true,
    }),
  submit: (_job, file) => ({ program: "qsub", args: [file] }),
  parseSubmitted: (answer) => /^(\d+(\[\])?(\.[\w.-]+)?)$/m.exec(answer.trim())?.[1],

  status: (ids) => ({ program: "qstat", args: ["-f", "-t", ...ids] }),
  parseStatus,
  isGone,

  // A server without a history refuses the call.
  history: {
    ask: (id) => ({ program: "qstat", args: ["-x", "-f", "-t", id] }),
    parse: parseStatus,
  },

  cancel: (ids) => ({ program: "qdel", args: [...ids] }),
  find: (name) => ({ program: "qselect", args: ["-N", name] }),
  parseFound: (answer) =>
    answer
      .split("\n")
      .find((line) => /^\d/.test(line))
      ?.trim(),

  arrayLimit: {
    ask: { program: "qstat", args: ["-B", "-f"] },
    parse: (answer) => {
      const max = /^\s*max_array_size = (\d+)/m.exec(answer)?.[1];
      return max === undefined ? undefined : Number(max);
    },
  },
  timeLeft: {
    ask: ({ PBS_JOBID: id }) => (id === undefined ? undefined : { program: "qstat", args: ["-f", id] }),
    parse: (answer, { nowMs }) => {
      const [job] = readAttributes(answer);
      return job === undefined ? undefined : secondsLeft(job, nowMs);
    },
  },
};

function directives({ name, tasks, options }: Job): string[] {
  const { queue, account, walltimeSeconds, schedulerOptions, cores, memoryBytes } = options;
  const memory = memoryBytes === undefined ? "" : `:mem=${pbsBytes(memoryBytes)}`;
  return [
    `-N ${name}`,
    // PBS refuses an array of one task. A job without an array does not have the variable, which means 0.
    ...(tasks > 1 ? [`-J 0-${tasks - 1}`] : []),
    `-S ${directiveWord("shebang", shellPath(options.shebang))}`,
    ...(queue === undefined ? [] : [`-q ${directiveWord("queue", queue)}`]),
    ...(account === undefined ? [] : [`-A ${directiveWord("account", account)}`]),
    `-l ${schedulerOptions["resource_spec"] ?? `select=1:ncpus=${cores ?? 1}${memory}`}`,
    ...(walltimeSeconds === undefined ? [] : [`-l walltime=${formatWalltime(walltimeSeconds)}`]),
    "-r y",
    "-j oe",
    "-o /dev/null",
  ];
}

/** Bytes in the largest unit that keeps two digits. For PBS, kb means 1024 bytes. */
export function pbsBytes(bytes: number): string {
  const power = [3, 2, 1].find((exponent) => bytes >= 10 * 1024 ** exponent) ?? 0;
  return `${Math.ceil(bytes / 1024 ** power)}${["b", "kb", "mb", "gb"][power]}`;
}

function parseStatus(answer: string): TaskStatus[] {
  return readAttributes(answer).flatMap((job) => {
    const match = /^(\d+)(\[(\d*)\])?(.*)$/.exec(job.id);
    const letter = job.attributes.get("job_state");
    if (match === null || letter === undefined) return [];
    const [, number, brackets, index, server] = match;
    // This line is the array as a whole. Its tasks have their own lines.
    if (index === "") return [];
    const isTask = brackets !== undefined;
    const state = states[letter] ?? "unknown";
    const exit = job.attributes.get("Exit_status") ?? job.attributes.get("exit_status");
    const comment = job.attributes.get("comment");
    return [
      {
        id: `${number}${isTask ? "[]" : ""}${server}`,
        task: isTask ? Number(index) : 0,
        state: state === "ended" ? endOf(job, exit) : state,
        detail: [letter, exit === undefined ? undefined : `exit status ${exit}`, comment].filter(Boolean).join(", "),
        node: job.attributes.get("exec_host")?.split(/[/+]/)[0],
      },
    ];
  });
}

function endOf({ attributes }: AttributedJob, exit: string | undefined): TaskState {
  if (exit === "0") return "ended";
  if (attributes.get("substate") === deletedSubstate) return "cancelled";
  // Without a status it is an expired task, about which nothing else is stored.
  return exit === undefined ? "ended" : "lost";
}

function isGone(refusal: string): boolean {
  const known = /Unknown Job Id|Job has finished|not configured to maintain job history/i;
  return refusal.split("\n").every((line) => line.trim() === "" || known.test(line));
}

function secondsLeft({ attributes }: AttributedJob, nowMs: number): number | undefined {
  const limit = parseWalltime(attributes.get("Resource_List.walltime") ?? "");
  if (limit === undefined) return undefined;
  const startMs = Date.parse(attributes.get("stime") ?? "");
  // Preferred, because the used time is updated only from time to time.
  const used = Number.isNaN(startMs)
    ? parseWalltime(attributes.get("resources_used.walltime") ?? "")
    : (nowMs - startMs) / 1000;
  return used === undefined ? undefined : Math.max(0, Math.floor(limit - used));
}

/** One job of `qstat -f`: its id and its attributes. */
interface AttributedJob {
  readonly id: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * The full listing of PBS and its relatives: a line with the id, then ` name = value`; a line that begins with a tab
 * continues the one before.
 */
function readAttributes(text: string): AttributedJob[] {
  return text
    .replaceAll("\n\t", "")
    .split(/^Job Id:\s*/m)
    .slice(1)
    .map((block) => {
      const [id = "", ...lines] = block.split("\n");
      const pairs = lines.flatMap((line) => {
        const match = /^ {4}([\w.]+) = (.*)$/.exec(line);
        return match === null ? [] : [[match[1]!, match[2]!.trim()] as const];
      });
      // The first one of a name counts: a variable of the user may hold lines that look like attributes.
      return { id: id.trim(), attributes: new Map(pairs.reverse()) };
    });
}
