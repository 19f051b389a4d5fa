import { BaseSequencer, type TestSpecification } from "vitest/node";

// Files that take long, most of them waiting. Vitest begins with the largest files, so these would be the last, with idle cores beside
// them.
const slow =
  /\/(chaos|cli-examples|cluster-envs|cluster-trouble|collect-stats|config-omegaconf|conformance|crash-points|deaths|dialect-\w+|docs-pages|docs-site|drain|fake-schedulers|fuzz|guide|guide-simulation|guide-xvector|heap-of-runs|hostile-files|hostile-job-records|jobs-left-alone|large-state|leaving|live-run|outside-kills|outside-kills-clusters|package|random-kills|real-killers|secrets|slurm-run|slurm-trouble|stuck-and-leaking|worker-classes|worker-output|xvector-\w+)\.test\.ts$/;

/** Starts with the test files that are known to take long. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
