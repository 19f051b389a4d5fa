import type { Launcher } from "../launcher.ts";
import { batchLauncher } from "./batch-launcher.ts";
import { chooseScheduler } from "./choose-scheduler.ts";

/** The launcher for the scheduler of an env. */
export function chooseBatchLauncher(env: string): Launcher {
  return batchLauncher(chooseScheduler(env)!);
}
