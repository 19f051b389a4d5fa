import { reapWorker } from "../../run-folder/lease/reap-worker.ts";
import { runWorker } from "../../worker/run-worker.ts";
import type { InlineLauncher } from "../launcher.ts";

/** `env: local`: one worker, in this process, one item after another. `options` are ignored. */
export const inlineLauncher: InlineLauncher = {
  kind: "inline",
  env: "local",
  check() {},
  async run(worker, stop) {
    // A kill ends this process too, so the lease is released first.
    const { run, member } = worker;
    const onKill = () => reapWorker(run.paths, member.lease.worker);
    stop.kill.addEventListener("abort", onKill);
    try {
      return (await runWorker(worker)).committed;
    } finally {
      stop.kill.removeEventListener("abort", onKill);
    }
  },
};
