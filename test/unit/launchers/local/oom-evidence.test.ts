import { describe, expect, it } from "vitest";
import { openOomEvidence } from "../../../../src/launchers/local/oom-evidence.ts";

/** Evidence from a counter and a clock that the test moves. */
function newEvidence(where: "cgroup" | "host" = "cgroup") {
  const kernel = { count: 7, ms: 0 };
  const evidence = openOomEvidence(
    () => ({ where, count: kernel.count }),
    () => kernel.ms,
  );
  return { kernel, evidence };
}

describe("an end by SIGKILL", () => {
  it("is not explained where the kernel's counter did not move", () => {
    expect(newEvidence().evidence.explain()).toBeUndefined();
  });

  it.each(["cgroup", "host"] as const)("is explained by the counter of the %s, each count once", (where) => {
    const { kernel, evidence } = newEvidence(where);
    kernel.count += 2;
    expect([1, 2, 3].map(() => evidence.explain())).toEqual([where, where, undefined]);
  });

  it("is not explained by a kill of another process a while ago", () => {
    const { kernel, evidence } = newEvidence();
    kernel.count++;
    evidence.look();
    kernel.ms += 2500;
    evidence.look();
    expect(evidence.explain()).toBeUndefined();
  });

  it("is not explained where the kernel has no such counter", () => {
    expect(openOomEvidence(() => undefined).explain()).toBeUndefined();
  });
});
