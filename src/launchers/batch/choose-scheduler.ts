import type { ParallelEnv } from "../../config/parallel.ts";
import type { Scheduler } from "./scheduler.ts";
import { htcondor } from "./schedulers/htcondor.ts";
import { kube } from "./schedulers/kube.ts";
import { lsf } from "./schedulers/lsf.ts";
import { moab } from "./schedulers/moab.ts";
import { oar } from "./schedulers/oar.ts";
import { pbs } from "./schedulers/pbs.ts";
import { sge } from "./schedulers/sge.ts";
import { slurm } from "./schedulers/slurm.ts";

/** Every dialect there is. */
export const schedulers: readonly Scheduler[] = [slurm, pbs, sge, lsf, htcondor, oar, moab, kube];

/** The dialect of an env; undefined for one that is no scheduler. */
export function chooseScheduler(env: ParallelEnv): Scheduler | undefined {
  return schedulers.find((scheduler) => scheduler.env === env);
}
