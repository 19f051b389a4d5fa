// The answers follow the documentation of Moab and scripts that read it; none was there to be asked.
import { describe, expect, it } from "vitest";
import { moab } from "../../../../src/launchers/schedulers/moab.ts";

const active = `<Data>
 <Object>queue</Object>
 <queue count="2" option="active">
  <job JobID="45[0]" JobName="speech-1" MasterHost="n4545" ReqAWDuration="600" StartTime="1000" State="Running" User="a"/>
  <job JobID="45[1]" JobName="speech-1" MasterHost="n4546" ReqAWDuration="600" StartTime="1000" State="Odd &amp; new" User="a"/>
 </queue>
 <queue count="1" option="eligible"><job JobID="Moab.46[2]" JobName="other" StartTime="0" State="Idle" User="a"></job></queue>
 <queue count="0" option="blocked"/>
</Data>`;
const completed = `<Data><queue count="4" option="completed" purgetime="86400">
  <job CompletionCode="0" JobID="45[2]" JobName="speech-1" State="Completed"/>
  <job CompletionCode="3" JobID="45[3]" JobName="speech-1" State="Completed"/>
  <job CompletionCode="CNCLD" JobID="45[4]" JobName="speech-1" State="Completed"/>
  <job CompletionCode="0" JobID="47" JobName="other" State="Completed"/>
</queue></Data>`;

describe("the dialect of Moab", () => {
  it("reads the id, which an empty line precedes", () => {
    expect(moab.parseSubmitted("\n4761849\n")).toBe("4761849");
    expect(moab.parseSubmitted("\nMoab.12\n")).toBe("Moab.12");
    expect(moab.parseSubmitted("ERROR:  client timed out")).toBeUndefined();
  });

  it("reads the tasks of all queues", () => {
    expect(moab.parseStatus(active).map(({ id, task, state, detail }) => [id, task, state, detail])).toEqual([
      ["45", 0, "running", "Running"],
      ["45", 1, "unknown", "Odd & new"],
      ["Moab.46", 2, "pending", "Idle"],
    ]);
  });

  it("reads from the completed ones how tasks ended", () => {
    expect(moab.history!.parse(completed, "45").map(({ task, state }) => [task, state])).toEqual([
      [2, "ended"],
      [3, "lost"],
      [4, "cancelled"],
    ]);
  });

  it("finds a submission by its name", () => {
    expect(moab.parseFound(active, "speech-1")).toBe("45");
    expect(moab.parseFound(active, "speech")).toBeUndefined();
  });

  it("knows which refusals only say that a job is gone", () => {
    expect(moab.isGone!("ERROR:  invalid job specified (4761849)")).toBe(true);
    expect(moab.isGone!("ERROR:  client timed out after 30 seconds")).toBe(false);
  });

  it("works out from its start how long a task may still run", () => {
    const environment = { MOAB_JOBID: "45[0]" };
    expect(moab.timeLeft!.parse(active, { environment, nowMs: 1_100_000 })).toBe(500);
    expect(moab.timeLeft!.parse(active, { environment: { MOAB_JOBID: "9" }, nowMs: 0 })).toBeUndefined();
  });
});
