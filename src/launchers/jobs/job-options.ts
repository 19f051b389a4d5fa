import type { ParallelConfig } from "../../config/parallel.ts";
import { hasControls } from "../../text/has-controls.ts";
import { describeKind } from "../../values/state-json.ts";
import { BadOption, checkCount, readOptions, tryOptions } from "../check-options.ts";
import { explainUnknownOption } from "../explain-unknown-option.ts";
import { parseMemory } from "./parse-memory.ts";
import { parseWalltime } from "./parse-walltime.ts";

type SchedulerOptionValue = string | number | boolean | readonly string[];

/** The checked options of a job. In a config they have the names of dask-jobqueue. */
export interface JobOptions {
  readonly jobName: string;
  readonly queue: string | undefined;
  /** The account that is charged: `account` and `project` mean the same. */
  readonly account: string | undefined;
  readonly cores: number | undefined;
  /** Workers in each job. */
  readonly processes: number;
  readonly memoryBytes: number | undefined;
  readonly walltimeSeconds: number | undefined;
  readonly extraDirectives: readonly string[];
  /** Directives that contain one of these are left out. */
  readonly skippedDirectives: readonly string[];
  /** Shell lines that run before the workers: modules, variables. */
  readonly prologue: readonly string[];
  readonly logDirectory: string | undefined;
  readonly shebang: string;
  /** The Node.js program on the nodes. */
  readonly node: string;
  readonly threadsPerWorker: number | undefined;
  readonly maxHeapMb: number | undefined;
  readonly maxArraySize: number | undefined;
  /** How many lost jobs are submitted again. */
  readonly resubmits: number | undefined;
  readonly submitTimeoutSeconds: number;
  /** The longest time between two status calls, in seconds. */
  readonly pollSeconds: number;
  /** Seconds before the end of the walltime at which workers save and leave. */
  readonly graceSeconds: number;
  /** Options that only one scheduler has. Only their type is checked: text, number, boolean or a list of texts. */
  readonly schedulerOptions: Readonly<Record<string, SchedulerOptionValue>>;
}

const common = [
  "account",
  "cores",
  "grace",
  "job_directives_skip",
  "job_extra_directives",
  "job_name",
  "job_script_prologue",
  "log_directory",
  "max_array_size",
  "max_heap_mb",
  "memory",
  "node",
  "poll_interval",
  "processes",
  "project",
  "queue",
  "resubmits",
  "shebang",
  "submit_timeout",
  "threads_per_worker",
  "walltime",
] as const;

/** The default first line of job scripts. */
export const defaultShebang = "#!/usr/bin/env bash";

/** Checks `parallel.options` of a scheduler. */
export function checkJobOptions(
  { env, options }: ParallelConfig,
  { optionNames }: { readonly optionNames: readonly string[] },
): JobOptions {
  const known: readonly string[] = [...common, ...optionNames];
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  const schedulerOptions = readSchedulerOptions(options, optionNames);
  const at = (name: (typeof common)[number]) => given(name, options);
  const readers: { readonly [K in keyof JobOptions]: () => JobOptions[K] } = {
    jobName: () => jobName(at("job_name")),
    queue: () => word("queue", at("queue")),
    account: () => account(at("account"), at("project")),
    cores: () => checkCount("cores", at("cores")),
    processes: () => checkCount("processes", at("processes")) ?? 1,
    memoryBytes: () => memory(at("memory")),
    walltimeSeconds: () => walltime(at("walltime"), env),
    extraDirectives: () => extraDirectives(at("job_extra_directives"), env),
    skippedDirectives: () => skippedDirectives(at("job_directives_skip")),
    prologue: () => lines("job_script_prologue", at("job_script_prologue")),
    logDirectory: () => word("log_directory", at("log_directory")),
    shebang: () => shebang(at("shebang")),
    node: () => word("node", at("node")) ?? process.execPath,
    threadsPerWorker: () => checkCount("threads_per_worker", at("threads_per_worker")),
    maxHeapMb: () => checkCount("max_heap_mb", at("max_heap_mb")),
    maxArraySize: () => checkCount("max_array_size", at("max_array_size")),
    resubmits: () => checkCount("resubmits", at("resubmits"), 0),
    submitTimeoutSeconds: () => seconds("submit_timeout", at("submit_timeout")) ?? 60,
    pollSeconds: () => seconds("poll_interval", at("poll_interval")) ?? 30,
    graceSeconds: () => grace(seconds("grace", at("grace")), walltime(at("walltime"), env)),
    schedulerOptions: () => schedulerOptions.read as JobOptions["schedulerOptions"],
  };
  const problems = unknown.map((name) => explainUnknownOption(env, name, known));
  return readOptions(options, readers, [...problems, ...schedulerOptions.problems]);
}

function readSchedulerOptions(options: ParallelConfig["options"], optionNames: readonly string[]) {
  const names = optionNames.filter((name) => options[name] !== undefined);
  return tryOptions<Record<string, SchedulerOptionValue>>(
    Object.fromEntries(names.map((name) => [name, () => schedulerOptionValue(name, given(name, options))])),
  );
}

function given(name: string, options: ParallelConfig["options"]): unknown {
  if (options[name] === null)
    throw bad(name, `parallel.options.${name} is empty.`, "Leave it out, or give it a value.");
  return options[name];
}

/** How many jobs are needed for this many workers. */
export function jobsFor(workers: number, { processes }: Pick<JobOptions, "processes">): number {
  return Math.ceil(workers / processes);
}

function seconds(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value > 0 && value < 1e6) return value;
  throw bad(
    name,
    `parallel.options.${name} is ${describeKind(value)}; a number of seconds was expected.`,
    `Write it like ${name}: 60, without quotes and unit, or leave it out.`,
  );
}

// A line break in a value would begin another directive of the job script.
function word(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && !hasControls(value)) return value;
  if (typeof value === "number") return String(value);
  throw bad(
    name,
    `parallel.options.${name} is ${describeKind(value)}; a text of one line was expected.`,
    "Write it on one line, in quotes if it has anything but letters and digits.",
  );
}

function lines(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => {
    if (typeof entry === "string" && (name === "job_script_prologue" ? !entry.includes("\0") : !hasControls(entry)))
      return entry;
    throw bad(
      name,
      `parallel.options.${name} holds ${describeKind(entry)}; a list of lines was expected.`,
      `Write one text a line: ${name}: ["…", "…"].`,
    );
  });
}

function account(value: unknown, project: unknown): string | undefined {
  const [first, second] = [word("account", value), word("project", project)];
  if (first === undefined || second === undefined || first === second) return first ?? second;
  throw bad(
    "account",
    `parallel.options.account is ${JSON.stringify(first)} and project is ${JSON.stringify(second)}: they mean the same.`,
    "Leave one of them out; other options of your scheduler go into job_extra_directives.",
  );
}

/** Reads a list of lines. For HTCondor also a mapping, as in dask-jobqueue. */
function extraDirectives(value: unknown, env: string): string[] {
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
  if (env !== "htcondor" || !isMapping) return lines("job_extra_directives", value);
  return Object.entries(value).flatMap(([key, entry]) => {
    if (/^[+\w.]+$/.test(key))
      return lines("job_extra_directives", `${key} = ${word(`job_extra_directives.${key}`, entry)}`);
    throw bad(
      "job_extra_directives",
      `parallel.options.job_extra_directives has the key ${JSON.stringify(key)}.`,
      "A key is a command of a submit description, or an attribute: +Name.",
    );
  });
}

function skippedDirectives(value: unknown): string[] {
  const parts = lines("job_directives_skip", value);
  const everything = parts.find((part) => !/[a-z0-9]/i.test(part));
  if (everything === undefined) return parts;
  throw bad(
    "job_directives_skip",
    `parallel.options.job_directives_skip holds ${JSON.stringify(everything)}, which is in every directive.`,
    "Write a part of the lines to leave out that is in no other: --mem, or -j.",
  );
}

function shebang(value: unknown): string {
  const text = word("shebang", value) ?? defaultShebang;
  if (/^#!\s*\/\S/.test(text)) return text;
  throw bad(
    "shebang",
    `parallel.options.shebang is ${JSON.stringify(text)}; the first line of a script was expected.`,
    "Write it with #! and the path of a shell: #!/bin/bash -l.",
  );
}

function schedulerOptionValue(name: string, value: unknown): SchedulerOptionValue {
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return lines(name, value);
  return typeof value === "number" ? value : word(name, value)!;
}

function jobName(value: unknown): string {
  const text = word("job_name", value) ?? "millrace";
  // The smallest limit of all schedulers is 15 characters, and a key is added.
  if (/^[A-Za-z][A-Za-z0-9-]{0,7}$/.test(text)) return text;
  throw bad(
    "job_name",
    `parallel.options.job_name is ${JSON.stringify(text)}.`,
    "Use up to 8 letters, digits and dashes, beginning with a letter. A key is added, so that each job has its own name.",
  );
}

function memory(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const bytes = typeof value === "number" ? value : parseMemory(String(value));
  if (bytes !== undefined && bytes >= 1) return bytes;
  throw bad("memory", `parallel.options.memory is ${describeKind(value)}.`, "Write it like 32GB or 4GiB.");
}

function walltime(value: unknown, env: string): number | undefined {
  if (value === undefined) return undefined;
  // YAML reads 12:00:00 as a number of seconds, while 04:00:00 stays a text.
  if (typeof value === "number" && value >= 1 && env !== "lsf") return Math.ceil(value);
  // LSF counts in minutes: there two numbers are hours and minutes.
  const text = env === "lsf" && typeof value === "string" && /^\d+:\d+$/.test(value) ? `${value}:00` : value;
  // A number alone is minutes for some schedulers and seconds for others, so it is refused.
  const isBare = typeof text === "string" && /^\s*\d+\s*$/.test(text);
  const parsed = typeof text === "string" && !isBare ? parseWalltime(text) : undefined;
  if (parsed !== undefined && parsed >= 1) return parsed;
  throw bad(
    "walltime",
    `parallel.options.walltime is ${describeKind(value)}.`,
    'Write it like "04:00:00", "1-12:00:00" or 90m, in quotes: YAML reads 12:00:00 as a number.',
  );
}

// The grace period is at most a quarter of the walltime.
function grace(asked: number | undefined, walltimeSeconds: number | undefined): number {
  return Math.min(asked ?? 60, (walltimeSeconds ?? Number.POSITIVE_INFINITY) / 4);
}

function bad(option: string, message: string, hint: string): BadOption {
  return new BadOption(option, message, hint);
}
