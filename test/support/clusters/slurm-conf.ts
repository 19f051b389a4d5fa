import { userInfo } from "node:os";

/** A machine of a Slurm cluster. */
export interface SlurmHost {
  /** As Slurm calls it. */
  readonly name: string;
  /** As it calls itself; it listens on the address that this name has. */
  readonly hostname: string;
  readonly address: string;
  readonly port: number;
  /** A file of the network namespace that the machine is in. */
  readonly network?: string;
}

export interface SlurmConf {
  readonly folder: string;
  readonly controller: SlurmHost;
  readonly nodes: readonly SlurmHost[];
  readonly cpusPerNode: number;
  readonly gpusPerNode: number;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly lines: readonly string[];
}

/** Devices that every machine has; Slurm sets CUDA_VISIBLE_DEVICES only for GPUs that are devices. */
export const pretendedGpus: readonly string[] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random"];

/** The slurm.conf of a cluster that answers quickly and needs neither munge, nor a database, nor control groups. */
export function slurmConf(conf: SlurmConf): string {
  const { folder, controller, nodes, cpusPerNode, gpusPerNode, settings, lines } = conf;
  const user = userInfo().username;
  const all: Record<string, string | number> = {
    ClusterName: "millrace",
    SlurmctldHost: `${controller.hostname}(${controller.address})`,
    SlurmctldPort: controller.port,
    // Every daemon listens on the address of its host name alone.
    CommunicationParameters: "NoCtldInAddrAny,NoInAddrAny",
    SlurmUser: user,
    SlurmdUser: user,
    AuthType: "auth/none",
    // The life of a credential is also how long a requeued job waits; less than 5 is refused.
    AuthInfo: "cred_expire=5",
    CredType: "cred/none",
    StateSaveLocation: `${folder}/state`,
    SlurmctldPidFile: `${folder}/run/slurmctld.pid`,
    SlurmctldLogFile: `${folder}/log/slurmctld.log`,
    SlurmdSpoolDir: `${folder}/spool/%n`,
    SlurmdPidFile: `${folder}/run/slurmd.%n.pid`,
    SlurmdLogFile: `${folder}/log/slurmd.%n.log`,
    MailProg: "/bin/true",
    MpiDefault: "none",
    SwitchType: "switch/none",
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    JobAcctGatherType: "jobacct_gather/none",
    AccountingStorageType: "accounting_storage/none",
    JobCompType: "jobcomp/none",
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core_Memory",
    SchedulerType: "sched/backfill",
    // One pass of the scheduler a second, which is as often as it can.
    SchedulerParameters: [
      "bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0",
      "default_queue_depth=10000,bf_max_job_test=10000,bf_max_job_array_resv=1000",
    ].join(","),
    // A node that was down is used again when it reports.
    ReturnToService: 2,
    SlurmctldTimeout: 10,
    SlurmdTimeout: 5,
    // How long a refused connection is retried: what the notice of a lost node takes depends on this most.
    MessageTimeout: 2,
    TCPTimeout: 1,
    InactiveLimit: 0,
    KillWait: 2,
    MinJobAge: 300,
    MaxArraySize: 1001,
    MaxJobCount: 20_000,
    // More processors than the machine has.
    SlurmdParameters: "config_overrides",
    DefMemPerCPU: 100,
    ...(gpusPerNode > 0 ? { GresTypes: "gpu" } : {}),
    ...settings,
  };
  const gpus = gpusPerNode > 0 ? ` Gres=gpu:pretended:${gpusPerNode}` : "";
  const memory = 100 * Math.max(40, cpusPerNode);
  return [
    ...Object.entries(all).map(([key, value]) => `${key}=${value}`),
    ...nodes.map(
      ({ name, hostname, address, port }) =>
        `NodeName=${name} NodeHostname=${hostname} NodeAddr=${address} Port=${port} CPUs=${cpusPerNode} ` +
        `RealMemory=${memory}${gpus} State=UNKNOWN`,
    ),
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=60 MaxTime=INFINITE State=UP",
    ...lines,
    "",
  ].join("\n");
}

/** The gres.conf that goes with it. */
export function gresConf({ nodes, gpusPerNode }: SlurmConf): string {
  const names = nodes.map(({ name }) => name).join(",");
  const devices = pretendedGpus.slice(0, gpusPerNode);
  return devices.map((device) => `NodeName=${names} Name=gpu Type=pretended File=${device}\n`).join("");
}
