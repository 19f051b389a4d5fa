// The jobs of work-item.mjs in millrace's workers.
import { setTimeout as sleep } from "node:timers/promises";
import { BaseRunner, EnvironmentProvider, range } from "millrace";
import { clock, workers, workItem } from "./work-item.mjs";

export class BenchProvider extends EnvironmentProvider {
  static module = import.meta.url;

  async buildEnvLocal() {
    const began = clock();
    if (this.config.envMs > 0) await sleep(this.config.envMs);
    return { ...this.config, envBegan: began };
  }
}

export class BenchRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, env) {
    return workItem(idx, env);
  }
}

/** Reports when its env was started and when its item ran. */
export class FirstItemRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, { envBegan }) {
    return { idx, envBegan, at: clock(), pid: process.pid };
  }
}

export function runBench(runnerClass, { outputDir, count, job, env = "process", ...options }) {
  const parallel = { env, n_workers: workers };
  const provider = new BenchProvider(job);
  return new runnerClass(provider, { outputDir, parallel, progress: false, ...options }).run(range(count));
}

/** The same in this process. */
export function runBurning(outputDir, count, job, options) {
  return new BenchRunner(new BenchProvider(job), { outputDir, progress: false, ...options }).run(range(count));
}
