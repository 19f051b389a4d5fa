import { BadOption, unknownOption } from "./check-options.ts";

const overNetwork = "workers share nothing but the run folder, so there is no network to set up";
/** Options of dask-jobqueue that have no meaning here, and why. */
const refused: Readonly<Record<string, string>> = {
  nanny: "every worker is watched and replaced when it dies; there is nothing to switch on or off",
  interface: overNetwork,
  protocol: overNetwork,
  security: overNetwork,
  scheduler_options: overNetwork,
  host: overNetwork,
  dashboard_address: overNetwork,
  scheduler_cls: overNetwork,
  shared_temp_directory: overNetwork,
  death_timeout:
    "a worker runs until no shard is left; leaseTtl of the runner says when a worker without heartbeat loses its shard",
  python: "workers run in Node.js: name its program with `node`",
  worker_command: "workers are started by millrace itself; job_script_prologue runs before them",
  worker_class: "workers are processes of millrace, and run the class of the runner",
  worker_extra_args: "workers take their options from the runner",
  extra: "workers take their options from the runner",
  local_directory: "workers write into the run folder only",
  asynchronous: "use asyncMode of the runner",
  config_name: "the options are in parallel.options",
  silence_logs: "logs are kept in files; `millrace logs` shows them",
  n_workers: "it is not one of the options: write parallel.n_workers",
};

/** Other names of options, from schedulers and older versions of dask-jobqueue. */
const aliases: Readonly<Record<string, string>> = {
  env_extra: "job_script_prologue",
  job_extra: "job_extra_directives",
  header_skip: "job_directives_skip",
  partition: "queue",
  time: "walltime",
  time_limit: "walltime",
  mem: "memory",
  cpus: "cores",
  ncpus: "cores",
  cpus_per_task: "cores",
};

/** Why an env that starts jobs refuses an option: its name here, or its replacement. */
export function explainUnknownOption(env: string, name: string, known: readonly string[]): BadOption {
  const why = Object.hasOwn(refused, name) ? refused[name] : undefined;
  const other = Object.hasOwn(aliases, name) ? aliases[name]! : "";
  if (known.includes(other))
    return new BadOption(
      name,
      `parallel.options.${name} is not taken: it is called ${other}.`,
      `Write ${other} instead.`,
    );
  if (why !== undefined)
    return new BadOption(name, `parallel.options.${name} is not taken: ${why}.`, "Remove it from parallel.options.");
  const usable = Object.entries(aliases).filter(([, option]) => known.includes(option));
  return unknownOption(env, name, [...known].sort(), Object.fromEntries(usable));
}
