/** Where workers can run. */
export const parallelEnvs = [
  "local",
  "process",
  "thread",
  "local_gpu",
  "slurm",
  "pbs",
  "sge",
  "lsf",
  "htcondor",
  "oar",
  "moab",
  "ssh",
  "kube",
] as const;
/** Where workers run: in this process, on this machine, or through a scheduler. */
export type ParallelEnv = (typeof parallelEnvs)[number];
