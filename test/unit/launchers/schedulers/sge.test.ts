// The answers are those of a real Grid Engine 8.1.9.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sge } from "../../../../src/launchers/schedulers/sge.ts";

const answer = (name: string) => readFileSync(new URL(`../../../fixtures/answers/${name}`, import.meta.url), "utf8");
const listed = answer("qstat-sge.xml");

describe("the dialect of Grid Engine", () => {
  it("reads the id of an array and of a job", () => {
    expect(sge.parseSubmitted("1.1-6:1\n")).toBe("1");
    expect(sge.parseSubmitted("12\n")).toBe("12");
    expect(sge.parseSubmitted("Unable to run job\n")).toBeUndefined();
  });

  it("reads running tasks one by one and waiting ones as a range", () => {
    const statuses = sge.parseStatus(listed);
    const states = Object.fromEntries(statuses.map(({ id, task, state }) => [`${id}.${task}`, state]));
    expect(states).toEqual({
      "5.0": "running",
      "5.1": "lost",
      "5.2": "running",
      "5.3": "running",
      "5.4": "running",
      "5.5": "pending",
      "5.6": "pending",
      "5.7": "pending",
      "5.8": "pending",
      "6.0": "pending",
    });
    expect(statuses.find(({ task }) => task === 2)).toMatchObject({ node: "vm", detail: "r" });
  });

  it("takes a state it does not know for unknown", () => {
    const xml = "<job_list><JB_job_number>1</JB_job_number><state>Zz</state><tasks>1</tasks></job_list>";
    expect(sge.parseStatus(xml)).toMatchObject([{ id: "1", task: 0, state: "unknown", detail: "Zz" }]);
  });

  it("is not led astray by a name", () => {
    const name = "&lt;/JB_name&gt;&lt;state&gt;z&lt;/state&gt;&#38;";
    const xml = `<job_list state="running"><JB_job_number>7</JB_job_number><JB_name>${name}</JB_name><state>r</state></job_list>`;
    expect(sge.parseStatus(xml)).toMatchObject([{ id: "7", task: 0, state: "running" }]);
    expect(sge.parseFound(xml, "</JB_name><state>z</state>&")).toBe("7");
  });

  it("finds a submission by its name", () => {
    expect(sge.parseFound(listed, "plain")).toBe("6");
    expect(sge.parseFound(listed, "plai")).toBeUndefined();
  });

  it("reads from the accounting how tasks ended", () => {
    const statuses = sge.history!.parse(answer("qacct.txt"), "1");
    expect(statuses.map(({ task, state, detail }) => [task, state, detail])).toEqual([
      [0, "ended", "failed 0, exit status 0"],
      [1, "lost", "failed 0, exit status 3"],
      // It asked to be run again, was, and ended well.
      [2, "ended", "failed 0, exit status 0"],
      [3, "lost", "failed 100 : assumedly after job, exit status 137 (Killed)"],
      [4, "lost", "failed 30 : application error returned, exit status 100"],
      [5, "lost", "failed 0, exit status 140 (User defined signal 2)"],
    ]);
    expect(sge.history!.parse(answer("qacct.txt"), "2")).toEqual([]);
  });

  it("does not take the status 0 of a task whose host died for success", () => {
    const record = "====\njobnumber 3\ntaskid 2\nfailed 19 : before writing exit_status\nexit_status 0\n";
    expect(sge.history!.parse(record, "3")).toMatchObject([{ task: 1, state: "lost" }]);
  });

  it("knows which refusals only say that a job is gone", () => {
    expect(sge.isGone!('denied: job "1" does not exist\ndenied: job "99" does not exist')).toBe(true);
    expect(sge.isGone!("error: commlib error: got select error")).toBe(false);
  });

  it("reads the limit of arrays", () => {
    expect(sge.arrayLimit!.parse("max_aj_instances             2000\nmax_aj_tasks                 75000\n")).toBe(
      75_000,
    );
  });

  it("works out from its start and its limit how long a task may still run", () => {
    const environment = { JOB_ID: "5", SGE_TASK_ID: "3" };
    const nowMs = Date.parse("2026-11-16T04:58:22");
    expect(sge.timeLeft!.parse(listed, { environment, nowMs })).toBe(90);
    expect(sge.timeLeft!.parse(listed, { environment: { JOB_ID: "99", SGE_TASK_ID: "1" }, nowMs })).toBeUndefined();
  });

  it("is asked to run a task again by an exit code", () => {
    expect(sge.requeue!({ SGE_TASK_ID: "1" })).toEqual({ exitCode: 99 });
    expect(sge.requeue!({})).toBeUndefined();
  });
});
