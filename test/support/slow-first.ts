import { BaseSequencer, type TestSpecification } from "vitest/node";

// Small files that take long. Vitest begins with the largest files, so these would be the last, with idle cores beside them.
const slow =
  /\/(chaos|cluster-envs|collect-stats|config-omegaconf|crash-points|dialect-\w+|docs-pages|docs-site|fuzz|guide|heap-of-runs|large-state|outside-kills|outside-kills-clusters|package|random-kills|real-killers|stuck-and-leaking|worker-output|xvector-\w+)\.test\.ts$/;

/** Starts with the test files that are known to take long. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
