import { runWorker } from "../worker/run-worker.ts";
import type { Launcher } from "./launcher.ts";

/** `env: local`: one worker, in this process, one item after another. `n_workers` is ignored. */
export const inlineLauncher: Launcher = {
  env: "local",
  launch: async ({ inlineJob }) => (await runWorker(inlineJob)).committed,
};
