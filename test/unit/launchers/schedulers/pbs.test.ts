// The answers follow the reference guide of PBS Professional; none was there to be asked.
import { describe, expect, it } from "vitest";
import { pbs, pbsBytes } from "../../../../src/launchers/schedulers/pbs.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";

const listed = `Job Id: 10[].server
    Job_Name = speech-1a2b3c
    job_state = B
    array = True
Job Id: 10[0].server
    Job_Name = speech-1a2b3c
    job_state = X
    Exit_status = 0
Job Id: 10[1].server
    job_state = X
    Exit_status = 3
Job Id: 10[2].server
    job_state = R
    exec_host = node7/0*2
    Variable_List = PBS_O_HOME=/home/someone,LONG=aaaa
\tbbbb,ODD=x
    comment = Job run at Mon Nov 16 at 04:40 on (node7:ncpus=2)
Job Id: 10[3].server
    job_state = Q
    comment = Not Running: Insufficient amount of resource: ncpus
Job Id: 11.server
    job_state = F
    substate = 91
    Exit_status = 271
Job Id: 12.server
    job_state = ?
`;

describe("the dialect of PBS", () => {
  it("submits a single task as a plain job: an array of one is refused", () => {
    expect(pbs.render(sampleJob("pbs", "plain"))).not.toContain("-J");
    expect(pbs.render(sampleJob("pbs", "full"))).toContain("#PBS -J 0-11");
  });

  it("reads the id of an array and of a job", () => {
    expect(pbs.parseSubmitted("10[].server.example.org\n")).toBe("10[].server.example.org");
    expect(pbs.parseSubmitted("11.server\n")).toBe("11.server");
    expect(pbs.parseSubmitted("qsub: Unknown queue")).toBeUndefined();
  });

  it("reads the tasks of an array and leaves out the array as a whole", () => {
    expect(pbs.parseStatus(listed).map(({ id, task, state, node }) => [id, task, state, node])).toEqual([
      ["10[].server", 0, "ended", undefined],
      ["10[].server", 1, "lost", undefined],
      ["10[].server", 2, "running", "node7"],
      ["10[].server", 3, "pending", undefined],
      ["11.server", 0, "cancelled", undefined],
      ["12.server", 0, "unknown", undefined],
    ]);
  });

  it("finds a submission by what qselect prints", () => {
    expect(pbs.parseFound("10[].server\n", "speech")).toBe("10[].server");
    expect(pbs.parseFound("", "speech")).toBeUndefined();
  });

  it("knows which refusals only say that jobs are gone", () => {
    expect(pbs.isGone!("qstat: Unknown Job Id 9.server")).toBe(true);
    expect(pbs.isGone!("qstat: 10[].server Job has finished, use -x or -H to obtain historical job information")).toBe(
      true,
    );
    expect(pbs.isGone!("Connection refused\nqstat: cannot connect to server pbs (errno=111)")).toBe(false);
  });

  it("reads the limit of arrays", () => {
    expect(pbs.arrayLimit!.parse("Server: server\n    server_state = Active\n    max_array_size = 10000\n")).toBe(
      10_000,
    );
  });

  it("works out from its start how long a task may still run, and from what it used where no start is given", () => {
    const nowMs = Date.parse("Mon Nov 16 04:40:30 2026");
    const start = "Job Id: 1.s\n    Resource_List.walltime = 00:10:00\n    stime = Mon Nov 16 04:40:00 2026\n";
    expect(pbs.timeLeft!.parse(start, { environment: {}, nowMs })).toBe(570);
    const used = "Job Id: 1.s\n    resources_used.walltime = 00:04:00\n    Resource_List.walltime = 00:10:00\n";
    expect(pbs.timeLeft!.parse(used, { environment: {}, nowMs })).toBe(360);
    expect(pbs.timeLeft!.parse("Job Id: 1.s\n    job_state = R\n", { environment: {}, nowMs })).toBeUndefined();
  });

  it.each([
    [500, "500b"],
    [12_345_678, "12mb"],
    [1_234_567_890, "1178mb"],
    [15e9, "14gb"],
  ])("writes %d bytes as %s", (bytes, text) => {
    expect(pbsBytes(bytes)).toBe(text);
  });
});
