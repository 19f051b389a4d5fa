import type { ParallelConfig } from "../../config/parallel.ts";
import { MillraceError } from "../../shared/errors.ts";
import { describeKind } from "../../shared/state-json.ts";
import { refuseForeignOption } from "../batch/refuse-foreign-option.ts";
import { checkCount, unknownOption } from "../check-options.ts";

/** What `env: ssh` takes. */
export interface SshOptions {
  /** As ssh knows them: names, `user@host`, names of ~/.ssh/config. */
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
  for (const name of Object.keys(options))
    if (!known.some((entry) => entry === name)) {
      refuseForeignOption(name, known);
      throw unknownOption("ssh", name, known);
    }
  const hosts = words("hosts", options["hosts"]);
  if (hosts.length === 0) throw bad("env: ssh needs parallel.options.hosts.", "Name the hosts: hosts: [node1, node2].");
  // ssh would take it for an option of its own.
  const wrong = hosts.find((host) => host.startsWith("-"));
  if (wrong !== undefined)
    throw bad(
      `parallel.options.hosts holds ${JSON.stringify(wrong)}, which is no host.`,
      "A host is written as for ssh: node1, or user@node1.",
    );
  return {
    hosts,
    sshArguments: words("ssh_arguments", options["ssh_arguments"]),
    processes: checkCount("processes", options["processes"]) ?? Math.ceil(nWorkers / hosts.length),
    node: words("node", options["node"])[0] ?? process.execPath,
    threadsPerWorker: checkCount("threads_per_worker", options["threads_per_worker"]),
    maxHeapMb: checkCount("max_heap_mb", options["max_heap_mb"]),
    resubmits: checkCount("resubmits", options["resubmits"], 0),
    pollSeconds: 1,
  };
}

function words(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => {
    if (typeof entry === "string" && entry !== "" && !entry.includes("\0")) return entry;
    if (typeof entry === "number") return String(entry);
    throw bad(
      `parallel.options.${name} holds ${describeKind(entry)}; texts were expected.`,
      `Write a list of texts: ${name}: [one, two].`,
    );
  });
}

function bad(message: string, hint: string): MillraceError {
  return new MillraceError("BAD_OPTION", message, { hint });
}
