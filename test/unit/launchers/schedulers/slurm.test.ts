// The answers are those of a real Slurm 22.05.
import { describe, expect, it } from "vitest";
import { slurm } from "../../../../src/launchers/schedulers/slurm.ts";

describe("the dialect of Slurm", () => {
  it("reads the id, also of a federation", () => {
    expect(slurm.parseSubmitted("7\n")).toBe("7");
    expect(slurm.parseSubmitted("7;cluster\n")).toBe("7");
    expect(slurm.parseSubmitted("sbatch: error: invalid partition")).toBeUndefined();
  });

  it("reads tasks, and reasons that hold anything", () => {
    const answer = [
      "7|0|RUNNING|n1|None",
      "7|1|PENDING||Nodes required for job are DOWN, DRAINED or reserved|x",
      "7|2|NODE_FAIL|n2|NodeDown",
      "7|3|COMPLETED|n2|None",
      "7|4|ODD|n2|None",
      "7|N/A|PENDING||None",
      "",
    ].join("\n");
    expect(slurm.parseStatus(answer).map(({ task, state, node }) => [task, state, node])).toEqual([
      [0, "running", "n1"],
      [1, "pending", undefined],
      [2, "evicted", "n2"],
      [3, "ended", "n2"],
      [4, "unknown", "n2"],
    ]);
  });

  it("finds a submission by its name and knows when it is gone", () => {
    expect(slurm.parseFound("7|speech-1\n7|speech-1\n", "speech-1")).toBe("7");
    expect(slurm.isGone!("slurm_load_jobs error: Invalid job id specified")).toBe(true);
  });

  it("reads the limit of arrays and the time that is left", () => {
    expect(slurm.arrayLimit!.parse("MaxArraySize            = 1001\n")).toBe(1001);
    const moment = { environment: {}, nowMs: 0 };
    expect(slurm.timeLeft!.parse("1-00:00:10\n", moment)).toBe(86_410);
    expect(slurm.timeLeft!.parse("UNLIMITED\n", moment)).toBeUndefined();
  });
});
