import { reapWorker } from "../store/reap-worker.ts";
import { runWorker } from "../worker/run-worker.ts";
import type { Launcher } from "./launcher.ts";

/** `env: local`: one worker, in this process, one item after another. `n_workers` and `options` are ignored. */
export const inlineLauncher: Launcher = {
  env: "local",
  startsWorkers: false,
  check() {},
  async launch({ inlineJob, stop }) {
    // What is running cannot be ended without this process; its lease is given back first.
    const { paths, lease } = inlineJob.protocol;
    const onKill = () => reapWorker(paths, lease.worker);
    stop.kill.addEventListener("abort", onKill);
    try {
      return (await runWorker(inlineJob)).committed;
    } finally {
      stop.kill.removeEventListener("abort", onKill);
    }
  },
};
