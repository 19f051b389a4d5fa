import { MillraceError } from "../../shared/errors.ts";

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
    "a worker lives as long as there is work; leaseTtl of the runner says when a silent one loses its shard",
  python: "workers run in Node.js: name its program with `node`",
  worker_command: "workers are started by millrace itself; job_script_prologue runs before them",
  worker_class: "workers are processes of millrace; what they run is the runner's own class",
  worker_extra_args: "workers take their options from the runner",
  extra: "workers take their options from the runner",
  local_directory: "workers write into the run folder only",
  asynchronous: "use asyncMode of the runner",
  config_name: "the options stand in parallel.options",
  silence_logs: "logs are kept in files; `millrace logs` shows them",
};

/** What older versions of dask-jobqueue call otherwise. */
const renamed: Readonly<Record<string, string>> = {
  env_extra: "job_script_prologue",
  job_extra: "job_extra_directives",
  header_skip: "job_directives_skip",
};

/** Says why an option of dask-jobqueue is not taken, or what it is called; about others it says nothing. */
export function refuseForeignOption(name: string, known: readonly string[]): void {
  const newer = Object.hasOwn(renamed, name) ? renamed[name]! : "";
  const why = known.includes(newer)
    ? `it is called ${newer}`
    : Object.hasOwn(refused, name)
      ? refused[name]
      : undefined;
  if (why === undefined) return;
  throw new MillraceError("BAD_OPTION", `parallel.options.${name} is not taken: ${why}.`, {
    hint: known.includes(newer) ? `Write ${newer}.` : "Remove it from parallel.options.",
  });
}
