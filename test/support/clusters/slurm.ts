import { openClusterFolder } from "./cluster-folder.ts";
import { reservePorts } from "./reserve-ports.ts";
import { runSlurmCluster, type SlurmCluster, type SlurmOptions } from "./slurm-cluster.ts";
import { isRoot, whyNotControlGroups, whyNotDaemons } from "./why-not.ts";

/** Why no Slurm can be started here, or undefined when it can. */
export function whyNotSlurm(): string | undefined {
  return whyNotDaemons(["slurmctld", "slurmd", "sbatch", "hostname", "setpriv"]) ?? whyNotControlGroups();
}

/** Starts a Slurm of this process alone, on loopback, as any user. Only root's nodes have host names of their own. */
export async function startSlurm(options: SlurmOptions = {}): Promise<SlurmCluster> {
  const { nodes = 2 } = options;
  const { ports, release } = await reservePorts(1 + nodes);
  const hosts = ports.map((port, i) => {
    const name = i === 0 ? "controller" : `n${i}`;
    return { name, hostname: isRoot ? name : "localhost", address: "127.0.0.1", port };
  });
  const names = ["localhost", ...hosts.map(({ name }) => name)].join(" ");
  return runSlurmCluster(
    {
      folder: openClusterFolder("slurm"),
      controller: hosts[0]!,
      nodes: hosts.slice(1),
      ...(isRoot ? { hosts: `127.0.0.1 ${names}\n` } : {}),
      release,
    },
    options,
  );
}
