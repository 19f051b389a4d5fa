// The answers follow IBM's command reference; no LSF was there to be asked.
import { describe, expect, it } from "vitest";
import { lsf } from "../../../../src/launchers/schedulers/lsf.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";

const listed = `101|1|RUN|-|4*hostA:hostB|-
101|2|PEND|-|-|-
101|3|DONE|-|hostC|-
101|4|EXIT|3|hostC|TERM_UNKNOWN: unknown reason
101|5|EXIT|143|hostC|TERM_OWNER: job killed by owner
101|6|UNKWN|-|hostC|-
101[7]|7|EXIT|140|hostC|TERM_RUNLIMIT: job killed after reaching LSF run time limit
102|0|ODD|-|-|-
`;

describe("the dialect of LSF", () => {
  it("is given the script on its standard input, unless an option says otherwise", () => {
    const job = sampleJob("lsf", "plain");
    expect(lsf.submit(job, "/runs/job.sh")).toEqual({ program: "bsub", args: [], input: lsf.render(job) });
    const byFile = { ...job, options: { ...job.options, schedulerOptions: { use_stdin: false } } };
    expect(lsf.submit(byFile, "/runs/job.sh")).toEqual({ program: "bsub", args: ["/runs/job.sh"] });
  });

  it("reads the id", () => {
    expect(lsf.parseSubmitted("Job <101> is submitted to queue <normal>.\n")).toBe("101");
    expect(lsf.parseSubmitted("nosuch: No such queue. Job not submitted.\n")).toBeUndefined();
  });

  it("reads the tasks of an array, counted from 0", () => {
    expect(lsf.parseStatus(listed).map(({ id, task, state, node }) => [id, task, state, node])).toEqual([
      ["101", 0, "running", "hostA"],
      ["101", 1, "pending", undefined],
      ["101", 2, "ended", "hostC"],
      ["101", 3, "lost", "hostC"],
      ["101", 4, "cancelled", "hostC"],
      ["101", 5, "unknown", "hostC"],
      ["101", 6, "lost", "hostC"],
      ["102", 0, "unknown", undefined],
    ]);
  });

  it("finds an array by its name", () => {
    expect(lsf.parseFound("99|other[1]\n101|speech-1[1]\n101|speech-1[2]\n", "speech-1")).toBe("101");
    expect(lsf.parseFound("", "speech-1")).toBeUndefined();
  });

  it("knows which refusals only say that jobs are gone", () => {
    expect(lsf.isGone!("Job <7> is not found")).toBe(true);
    expect(lsf.isGone!("Job <7>: Job has already finished")).toBe(true);
    expect(lsf.isGone!("LSF is down. Please wait ...")).toBe(false);
  });

  it("reads the limit of arrays and the time that is left", () => {
    expect(lsf.arrayLimit!.parse("MAX_JOB_ARRAY_SIZE = 1000\nMAX_JOBID = 999999\n")).toBe(1000);
    const moment = { environment: {}, nowMs: 0 };
    expect(lsf.timeLeft!.parse("1:05 L\n", moment)).toBe(3900);
    expect(lsf.timeLeft!.parse("-\n", moment)).toBeUndefined();
  });

  it("refuses a unit that there is not", () => {
    const job = sampleJob("lsf", "full");
    const odd = { ...job, options: { ...job.options, schedulerOptions: { lsf_units: "stone", mem: 5 } } };
    expect(() => lsf.render(odd)).toThrow(/lsf_units is "stone"/);
  });
});
