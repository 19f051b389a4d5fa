import type { ParallelConfig } from "../config/parallel.ts";
import { inlineLauncher } from "./inline.ts";
import type { Launcher } from "./launcher.ts";
import { localGpuLauncher } from "./local-gpu.ts";
import { processLauncher } from "./process.ts";
import { threadLauncher } from "./thread.ts";

const onThisMachine: readonly Launcher[] = [inlineLauncher, processLauncher, threadLauncher, localGpuLauncher];

/**
 * The launcher of an env: each has one. Those of clusters are loaded when one is asked for: every worker loads the classes
 * that a user derives from, and starts no job.
 */
export async function chooseLauncher({ env }: ParallelConfig): Promise<Launcher> {
  const local = onThisMachine.find((launcher) => launcher.env === env);
  if (local !== undefined) return local;
  if (env === "ssh") return (await import("./ssh/ssh.ts")).sshLauncher;
  return (await import("./batch/choose-batch-launcher.ts")).chooseBatchLauncher(env);
}
