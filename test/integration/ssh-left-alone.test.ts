// Jobs over ssh whose connection is closed. A real sshd is used elsewhere; here every host is this machine.
import { runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { fakeClusterRun } from "../support/fake-cluster.ts";

const options = { hosts: ["one", "two"], processes: 1 };

describe("a run over ssh that is left alone", () => {
  it("is found by a later command, gets no more workers by another start, and is cancelled", async () => {
    const run = fakeClusterRun("ssh", { options });
    expect(await run.start("submit", { itemMs: 2000 })).toMatchObject({ code: 0 });
    await waitUntil(() => run.workersBuilt() === 2, { what: "both workers are at work" });
    expect((await run.millrace(["status", run.outputDir])).stdout).toContain("ssh jobs: 0 pending, 2 running");
    const again = await run.start("submit", { itemMs: 2000 });
    expect(JSON.parse(again.stdout)).toMatchObject({ jobs: [{ tasks: 1 }, { tasks: 1 }] });
    expect(run.records()).toHaveLength(2);
    expect(run.workersBuilt()).toBe(2);
    expect(await run.millrace(["cancel", run.outputDir])).toMatchObject({ code: 0 });
    await waitUntil(async () => (await runStatus(run.outputDir)).workers.length === 0, { what: "no worker runs" });
    const { stdout } = await run.millrace(["status", run.outputDir]);
    expect(stdout).toContain("stopped");
    expect(stdout).not.toContain("ssh jobs");
  });

  it("is continued by as many as are missing", async () => {
    const run = fakeClusterRun("ssh", { options });
    await run.start("submit", { itemMs: 2000, variables: { FAKE_DOWN: "two" } });
    await waitUntil(() => run.workersBuilt() === 2, { what: "both workers are at work" });
    const { workers } = await runStatus(run.outputDir);
    expect(workers).toHaveLength(2);
    for (const { pid } of workers) process.kill(pid, "SIGKILL");
    // Their jobs replace them soon.
    await waitUntil(() => run.workersBuilt() === 4, { what: "both were replaced" });
    await run.start("submit", { itemMs: 2000 });
    expect(run.records().filter(({ isClosed }) => isClosed !== true)).toHaveLength(2);
    await run.millrace(["cancel", run.outputDir]);
  });

  it("is started on other hosts where one cannot be reached, which is reported", async () => {
    const run = fakeClusterRun("ssh", { options, variables: { FAKE_DOWN: "one" } });
    const { code, stdout, stderr } = await run.start("submit");
    expect(stderr).toMatch(/no job could be started on one, so other jobs do its work: .*No route to host/);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { jobs: { id: string }[] }).jobs.map(({ id }) => id)).toEqual(["two", "two"]);
    await waitUntil(async () => (await runStatus(run.outputDir)).state === "complete", { what: "the run is complete" });
  });

  it("is refused where no host can be reached", async () => {
    const run = fakeClusterRun("ssh", { options, variables: { FAKE_DOWN: "one,two" } });
    const { code, stderr } = await run.start("submit");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/No job could be started on one, nor on the other 1: .*No route to host/);
    expect(run.records().map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});
