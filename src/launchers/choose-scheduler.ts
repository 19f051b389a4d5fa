import { guardCalls } from "./jobs/guard-calls.ts";
import type { Scheduler } from "./jobs/scheduler.ts";
import { kube } from "./kube/kube.ts";
import { htcondor } from "./schedulers/htcondor.ts";
import { lsf } from "./schedulers/lsf.ts";
import { moab } from "./schedulers/moab.ts";
import { oar } from "./schedulers/oar.ts";
import { pbs } from "./schedulers/pbs.ts";
import { sge } from "./schedulers/sge.ts";
import { slurm } from "./schedulers/slurm.ts";

/** All schedulers. */
export const schedulers: readonly Scheduler[] = [slurm, pbs, sge, lsf, htcondor, oar, moab, kube].map(guardCalls);

/** The scheduler of an env; undefined for envs without a scheduler. */
export function chooseScheduler(env: string): Scheduler | undefined {
  return schedulers.find((scheduler) => scheduler.env === env);
}
