import type { ParallelConfig } from "../../config/parallel.ts";
import { describeKind } from "../../values/state-json.ts";
import { BadOption, checkCount, readOptions } from "../check-options.ts";
import { explainUnknownOption } from "../explain-unknown-option.ts";

/** The options of `env: ssh`. */
export interface SshOptions {
  /** Hosts as ssh accepts them: names, `user@host`, names of ~/.ssh/config. */
  readonly hosts: readonly string[];
  /** Arguments for ssh before the host: `-p 2222`, `-F file`. */
  readonly sshArguments: readonly string[];
  readonly processes: number;
  readonly node: string;
  readonly threadsPerWorker: number | undefined;
  readonly maxHeapMb: number | undefined;
  readonly resubmits: number | undefined;
  readonly pollSeconds: number;
}

const known = [
  "hosts",
  "ssh_arguments",
  "processes",
  "node",
  "threads_per_worker",
  "max_heap_mb",
  "resubmits",
] as const;

/** Checks `parallel.options` of `env: ssh`. */
export function checkSshOptions({ options, nWorkers }: ParallelConfig): SshOptions {
  const unknown = Object.keys(options).filter((name) => !known.some((entry) => entry === name));
  const hosts = () => readHosts(options["hosts"]);
  const readers: { readonly [K in keyof SshOptions]: () => SshOptions[K] } = {
    hosts,
    sshArguments: () => words("ssh_arguments", options["ssh_arguments"]),
    processes: () => checkCount("processes", options["processes"]) ?? Math.ceil(nWorkers / hosts().length),
    node: () => words("node", options["node"])[0] ?? process.execPath,
    threadsPerWorker: () => checkCount("threads_per_worker", options["threads_per_worker"]),
    maxHeapMb: () => checkCount("max_heap_mb", options["max_heap_mb"]),
    resubmits: () => checkCount("resubmits", options["resubmits"], 0),
    pollSeconds: () => 1,
  };
  return readOptions(
    options,
    readers,
    unknown.map((name) => explainUnknownOption("ssh", name, known)),
  );
}

function readHosts(value: unknown): string[] {
  const hosts = words("hosts", value);
  if (hosts.length === 0)
    throw new BadOption("hosts", "env: ssh needs parallel.options.hosts.", "Name the hosts: hosts: [node1, node2].");
  // ssh would read such a name as an option.
  const wrong = hosts.find((host) => host.startsWith("-"));
  if (wrong === undefined) return hosts;
  throw new BadOption(
    "hosts",
    `parallel.options.hosts holds ${JSON.stringify(wrong)}, which is not a host.`,
    "A host is written as for ssh: node1, or user@node1.",
  );
}

function words(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => {
    if (typeof entry === "string" && entry !== "" && !entry.includes("\0")) return entry;
    if (typeof entry === "number") return String(entry);
    throw new BadOption(
      name,
      `parallel.options.${name} holds ${describeKind(entry)}; texts were expected.`,
      `Write a list of texts: ${name}: [one, two].`,
    );
  });
}
