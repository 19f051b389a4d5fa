import type { ParallelConfig } from "../config/parallel.ts";
import { batchLauncher } from "./batch/batch-launcher.ts";
import { schedulers } from "./batch/choose-scheduler.ts";
import { inlineLauncher } from "./inline.ts";
import type { Launcher } from "./launcher.ts";
import { localGpuLauncher } from "./local-gpu.ts";
import { processLauncher } from "./process.ts";
import { sshLauncher } from "./ssh/ssh.ts";
import { threadLauncher } from "./thread.ts";

const launchers: readonly Launcher[] = [
  inlineLauncher,
  processLauncher,
  threadLauncher,
  localGpuLauncher,
  ...schedulers.map(batchLauncher),
  sshLauncher,
];

/** The launcher of an env: each has one. */
export function chooseLauncher({ env }: ParallelConfig): Launcher {
  return launchers.find((entry) => entry.env === env)!;
}
