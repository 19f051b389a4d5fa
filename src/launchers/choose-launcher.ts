import type { ParallelConfig } from "../config/parallel.ts";
import type { Launcher } from "./launcher.ts";
import { inlineLauncher } from "./local/inline.ts";
import { localGpuLauncher } from "./local/local-gpu.ts";
import { processLauncher } from "./local/process.ts";
import { threadLauncher } from "./local/thread.ts";

const localLaunchers: readonly Launcher[] = [inlineLauncher, processLauncher, threadLauncher, localGpuLauncher];

/**
 * The launcher of an env. Launchers of clusters are loaded only if they are needed: workers load this module too, and
 * they start no jobs.
 */
export async function chooseLauncher({ env }: ParallelConfig): Promise<Launcher> {
  const local = localLaunchers.find((launcher) => launcher.env === env);
  if (local !== undefined) return local;
  if (env === "ssh") return (await import("./ssh/ssh.ts")).sshLauncher;
  const [{ batchLauncher }, { chooseScheduler }] = await Promise.all([
    import("./jobs/batch-launcher.ts"),
    import("./choose-scheduler.ts"),
  ]);
  return batchLauncher(chooseScheduler(env)!);
}
