import type { Scheduler } from "./scheduler.ts";
import { slurm } from "./schedulers/slurm.ts";

/** Every scheduler that workers can be handed to. */
export const schedulers: readonly Scheduler[] = [slurm];

/** The scheduler of an env; undefined where workers are started without one. */
export function chooseScheduler(env: string): Scheduler | undefined {
  return schedulers.find((scheduler) => scheduler.env === env);
}
