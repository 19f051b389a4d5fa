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
export type ParallelEnv = (typeof parallelEnvs)[number];
