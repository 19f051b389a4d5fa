// The answers are those of a real OAR 2.5.9.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { oar } from "../../../../src/launchers/schedulers/oar.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";

const listed = readFileSync(new URL("../../../fixtures/answers/oarstat.json", import.meta.url), "utf8");

describe("the dialect of OAR", () => {
  it("hands its directives to oarsub word by word, and the script quoted for the user's shell", () => {
    const { program, args } = oar.submit(sampleJob("oar", "full"), "/runs/it's $(here)/job.sh");
    expect(program).toBe("oarsub");
    expect(args.slice(0, 4)).toEqual(["-n", "speech-1a2b3c", "--array", "12"]);
    expect(args[args.indexOf("-p") + 1]).toBe(
      "(cluster='big') AND (memcore>=3815) AND (network_address NOT IN ('bad1','bad2.example.org'))",
    );
    expect(args.filter((word) => word === "-p")).toHaveLength(1);
    expect(args.at(-1)).toBe("exec /usr/bin/env bash '/runs/it'\\''s $(here)/job.sh'");
  });

  it("reads the id of the array", () => {
    const answer = "[ADMISSION RULE] Set default walltime to 7200.\nOAR_JOB_ID=8\nOAR_JOB_ID=9\nOAR_ARRAY_ID=8\n";
    expect(oar.parseSubmitted(answer)).toBe("8");
    expect(oar.parseSubmitted("OAR_JOB_ID=5\n")).toBe("5");
    expect(oar.parseSubmitted("There are not enough resources for your request")).toBeUndefined();
  });

  it("asks once for all submissions", () => {
    expect(oar.status(["4", "8"], {}).args.at(-1)).toBe("array_id IN (4,8)");
  });

  it("finds the state of tasks from state, exit code and events", () => {
    const statuses = oar.parseStatus(listed);
    const states = Object.fromEntries(
      statuses.map(({ id, task, state, detail }) => [`${id}.${task}`, [state, detail]]),
    );
    expect(states).toEqual({
      "4.0": ["cancelled", "Terminated, exit code 3"],
      "4.1": ["cancelled", "Terminated, exit code 137"],
      "4.2": ["cancelled", "Terminated, signal 15"],
      "4.3": ["cancelled", "Terminated, signal 15"],
      "8.0": ["ended", "Terminated, exit code 0"],
      // Run again, as a new job of the same array.
      "8.1": ["running", "Running"],
      "8.2": ["lost", "Terminated, signal 15"],
      "8.3": ["lost", "Terminated, signal 15"],
      "14.0": ["ended", "Terminated, exit code 0"],
      // Over its walltime, not cancelled.
      "14.1": ["lost", "Error"],
    });
    expect(statuses.find(({ id, task }) => id === "8" && task === 0)?.node).toBe("127.0.0.2");
  });

  it("takes an empty answer for no tasks, and a state it does not know for unknown", () => {
    expect(oar.parseStatus("")).toEqual([]);
    expect(oar.parseStatus("not json")).toEqual([]);
    expect(oar.parseStatus('{"1":{"Job_Id":1,"array_id":1,"array_index":1,"state":"Odd"}}')).toMatchObject([
      { id: "1", task: 0, state: "unknown" },
    ]);
  });

  it("finds a submission by its name", () => {
    expect(oar.parseFound(listed, "mr-h")).toBe("4");
    expect(oar.parseFound("", "mr-h")).toBeUndefined();
  });

  it("knows which refusals only say that a job is gone", () => {
    expect(oar.isGone!("Cannot frag 7 ; This job was already killed.")).toBe(true);
    expect(oar.isGone!('[ERROR] "999" is not a valid array job')).toBe(true);
    expect(oar.isGone!("DBI connect failed")).toBe(false);
  });

  it("works out from its start and its walltime how long a task may still run", () => {
    const answer = '{"14":{"startTime":1000,"walltime":30}}';
    expect(oar.timeLeft!.parse(answer, { environment: {}, nowMs: 1_010_000 })).toBe(20);
    expect(oar.timeLeft!.parse("", { environment: {}, nowMs: 0 })).toBeUndefined();
  });
});
