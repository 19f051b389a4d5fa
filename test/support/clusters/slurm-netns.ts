import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClusterFolder } from "./cluster-folder.ts";
import { openNetwork } from "./network.ts";
import { runSlurmCluster, type SlurmCluster, type SlurmOptions } from "./slurm-cluster.ts";
import { findProgram, whyNotControlGroups, whyNotDaemons } from "./why-not.ts";

export interface PartitionedSlurm extends SlurmCluster {
  /** The node and its jobs continue, but cannot be reached. Slurm calls it down after some ten seconds. */
  partition(node: string): Promise<void>;
  heal(node: string): Promise<void>;
}

const clients = ["sbatch", "scancel", "scontrol", "sinfo", "squeue"];

/** Why no Slurm with a network of its own can be started here, or undefined when it can. */
export function whyNotPartitionedSlurm(): string | undefined {
  const programs = ["slurmctld", "slurmd", ...clients, "hostname", "mount", "nsenter", "ip"];
  return whyNotDaemons(programs, { needsRoot: true }) ?? whyNotControlGroups();
}

/** Starts a Slurm whose controller and nodes have a network namespace each, so that a node can be cut off. */
export async function startPartitionedSlurm(options: SlurmOptions = {}): Promise<PartitionedSlurm> {
  const { nodes = 2 } = options;
  const network = await openNetwork(1 + nodes);
  const hosts = network.hosts.map((host, i) => {
    const name = i === 0 ? "controller" : `n${i}`;
    return { ...host, name, hostname: name, port: i === 0 ? 6817 : 6818 };
  });
  const folder = openClusterFolder("slurm-netns");
  const cluster = await runSlurmCluster(
    {
      folder,
      controller: hosts[0]!,
      nodes: hosts.slice(1),
      hosts: ["127.0.0.1 localhost", ...hosts.map(({ address, name }) => `${address} ${name}`), ""].join("\n"),
      programs: writeClients(join(folder.path, "bin"), hosts[0]!.network),
      release: network.close,
    },
    options,
  );
  const hostOf = (node: string) => hosts.findIndex(({ name }) => name === node);
  return {
    ...cluster,
    partition: (node) => network.disconnect(hostOf(node)),
    heal: (node) => network.connect(hostOf(node)),
  };
}

/** Slurm's programs for a process outside of the network. Jobs have them on their PATH too, but are inside already. */
function writeClients(folder: string, network: string): string {
  mkdirSync(folder);
  for (const program of clients) {
    const file = findProgram(program)!;
    const script = `#!/bin/sh
[ -z "$SLURMD_NODENAME" ] || exec ${file} "$@"
exec nsenter --net=${network} ${file} "$@"
`;
    writeFileSync(join(folder, program), script, { mode: 0o755 });
  }
  return folder;
}
