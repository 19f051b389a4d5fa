// The answers follow HTCondor's manual; no pool was there to be asked.
import { describe, expect, it } from "vitest";
import { htcondor } from "../../../../src/launchers/schedulers/htcondor.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";

const listed = JSON.stringify([
  { ClusterId: 12, ProcId: 0, JobStatus: 2, RemoteHost: "slot1_2@node7.example.org" },
  { ClusterId: 12, ProcId: 1, JobStatus: 1 },
  { ClusterId: 12, ProcId: 2, JobStatus: 5, HoldReason: "Failed to open /x" },
  { ClusterId: 12, ProcId: 3, JobStatus: 4, ExitBySignal: false, ExitCode: 0, LastRemoteHost: "slot1@node8" },
  { ClusterId: 12, ProcId: 4, JobStatus: 4, ExitBySignal: false, ExitCode: 3 },
  { ClusterId: 12, ProcId: 5, JobStatus: 4, ExitBySignal: true, ExitSignal: 9 },
  { ClusterId: 12, ProcId: 6, JobStatus: 3, RemoveReason: "via condor_rm (by user someone)" },
  { ClusterId: 12, ProcId: 7, JobStatus: 3, RemoveReason: "walltime" },
  { ClusterId: 12, ProcId: 8, JobStatus: 42 },
]);

describe("the dialect of HTCondor", () => {
  it("adds the words a user gives its programs", () => {
    const job = sampleJob("htcondor", "full");
    expect(htcondor.submit(job, "/runs/job").args).toEqual(["-name", "schedd", "-terse", "/runs/job"]);
    expect(htcondor.cancel(["12"], job.options.schedulerOptions).args).toEqual(["-name", "schedd", "12"]);
  });

  it.each([
    [
      ["-name", "far", "-pool", "lab"],
      ["-name", "far", "-pool", "lab"],
    ],
    [
      ["-remote", "far", "-append", "x = 1"],
      ["-name", "far"],
    ],
    ["-n far", ["-name", "far"]],
    [["-spool"], []],
  ])("asks and cancels at the schedd that was given the jobs: %j", (submit_command_extra, where) => {
    const own = { submit_command_extra };
    expect(htcondor.status(["12"], own).args.slice(0, -4)).toEqual(where);
    expect(htcondor.history!.ask("12", own).args.slice(0, -4)).toEqual(where);
    expect(htcondor.find("speech-1", own).args.slice(0, -5)).toEqual(where);
    expect(htcondor.cancel(["12"], own).args).toEqual([...where, "12"]);
  });

  it("refuses a queue, which it does not have", () => {
    const job = sampleJob("htcondor", "plain");
    expect(() => htcondor.render({ ...job, options: { ...job.options, queue: "long" } })).toThrow(/no queues/);
  });

  it("reads the id, short or in words", () => {
    expect(htcondor.parseSubmitted("12.0 - 12.11\n")).toBe("12");
    expect(htcondor.parseSubmitted("Submitting job(s)....\n12 job(s) submitted to cluster 5.\n")).toBe("5");
    expect(htcondor.parseSubmitted("ERROR: Failed to parse command file")).toBeUndefined();
  });

  it("reads states, exit codes and reasons", () => {
    expect(htcondor.parseStatus(listed).map(({ task, state, detail }) => [task, state, detail])).toEqual([
      [0, "running", "running"],
      [1, "pending", "idle"],
      [2, "pending", "held, Failed to open /x"],
      [3, "ended", "completed, exit code 0"],
      [4, "lost", "completed, exit code 3"],
      [5, "lost", "completed, signal 9"],
      [6, "cancelled", "removed, via condor_rm (by user someone)"],
      [7, "lost", "removed, walltime"],
      [8, "unknown", "status 42"],
    ]);
    expect(htcondor.parseStatus(listed)[0]?.node).toBe("node7.example.org");
  });

  it("takes an answer without jobs for none", () => {
    expect(htcondor.parseStatus("")).toEqual([]);
    expect(htcondor.parseStatus("[\n]\n")).toEqual([]);
    expect(htcondor.parseStatus("-- Failed to fetch ads")).toEqual([]);
  });

  it("finds a submission by its name", () => {
    const answer = '[{"ClusterId": 9, "JobBatchName": "speech-1"}]';
    expect(htcondor.parseFound(answer, "speech-1")).toBe("9");
    expect(htcondor.parseFound(answer, "speech")).toBeUndefined();
  });

  it("reads the limit of submissions", () => {
    expect(htcondor.arrayLimit!.parse("20000\n")).toBe(20_000);
    expect(htcondor.arrayLimit!.parse("Not defined: MAX_JOBS_PER_SUBMISSION\n")).toBeUndefined();
  });
});
