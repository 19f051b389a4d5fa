import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atTheEnd, makeProject, type Project } from "../support/cli/project.ts";

const envs = ["local", "process"] as const;

/** Starts a run in the background that is ended with the tests at the latest. */
async function detach(project: Project, ...words: string[]): Promise<number> {
  const { status, stdout, stderr } = await project.run("run", "job.yaml", "--detach", "--json", ...words);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const { pid } = JSON.parse(stdout) as { pid: number };
  atTheEnd(() => endIfItIsOurs(pid));
  return pid;
}

// The number may be another process's by now.
function endIfItIsOurs(pid: number): void {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("job.yaml")) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

async function statusOf(project: Project, runDir = "exp/job") {
  return JSON.parse((await project.run("status", runDir, "--json")).stdout) as {
    state: string;
    items: { done: number; total: number };
    workers: { worker: string }[];
  };
}

/** What the process in the background writes at its very end, when others already see that the run has ended. */
async function expectFromDriver(project: Project, pattern: RegExp): Promise<void> {
  const words = async () => (await project.run("logs", "exp/job", "--driver")).stdout;
  await expect.poll(words).toMatch(pattern);
}

describe.concurrent.each(envs)("millrace run --detach, env %s", (env) => {
  const parallel = [`parallel.env=${env}`, `parallel.n_workers=${env === "local" ? 1 : 2}`];

  it("continues in the background; attach watches it to its end", async () => {
    const project = makeProject();
    await detach(project, "held=[10]", "held_until=go", "says=true", ...parallel);
    expect(await statusOf(project)).toMatchObject({ state: "running" });
    const attached = project.start(["attach", "exp/job"]);
    await attached.seen(/JobRunner: \d+\/20 items/);
    project.touch("go");
    expect(await attached.ended).toMatchObject({ status: 0, stdout: expect.stringContaining("exp/job: complete") });
    // The output of driver and workers is kept, and each worker's under its own name.
    expect((await project.run("logs", "exp/job")).stdout).toContain("at item 19");
    await expectFromDriver(project, /exp\/job: complete/);
    const { worker } = JSON.parse(project.text("exp/job/split.0/done")) as { worker: string };
    expect((await project.run("logs", "exp/job", "--worker", worker)).stdout).toContain("at item 0");
  });

  it("is cancelled by another process: all workers save and leave, and a new start continues", async () => {
    const project = makeProject();
    const words = ["items=2000", "slow_until=go", ...parallel];
    await detach(project, ...words);
    const attached = project.start(["attach", "exp/job", "--json"]);
    await expect.poll(async () => (await statusOf(project)).items.done).toBeGreaterThan(0);
    const { status, stderr } = await project.run("cancel", "exp/job");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/is stopped at \d+ of 2,000 items/),
    });
    expect(project.names("exp/job/.millrace/leases")).toEqual([]);
    expect(project.names("exp/job/.millrace/workers")).toEqual([]);
    expect(await statusOf(project)).toMatchObject({ state: "stopped", workers: [] });
    expect(await attached.ended).toMatchObject({ status: 3, stderr: expect.stringContaining("logs exp/job --driver") });
    await expectFromDriver(project, /was stopped with \d shards to do/);
    expect((await project.run("worker", "exp/job")).stderr).toContain("the run was cancelled");
    project.touch("go");
    expect((await project.run("run", "job.yaml", ...words)).stdout).toContain("2,000 of 2,000");
  });
});

describe.concurrent("millrace run --detach", () => {
  it("starts over, and keeps the log of the new run", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    await detach(project, "--restart", "--limit=3", "says=true");
    await project.run("attach", "exp/job/limit-3");
    await detach(project, "--restart", "says=true");
    expect((await project.run("attach", "exp/job", "--json")).status).toBe(0);
    expect((await project.run("logs", "exp/job", "--driver")).stdout).toContain("at item 19");
    expect(project.names("exp/job").filter((name) => name.endsWith(".log"))).toEqual([]);
  });

  it("says at once what keeps the run from starting, and leaves nothing behind", async () => {
    const project = makeProject();
    const refused = await project.run("run", "job.yaml", "--detach", "runner._target_=./jobs.js#Missing");
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("has no export Missing") });
    expect(project.names("")).not.toContain("exp");
    await project.run("run", "job.yaml");
    const changed = await project.run("run", "job.yaml", "--detach", "says=true");
    expect(changed).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("--accept-change") });
  });

  it("runs files with any name", async () => {
    const project = makeProject();
    const name = "--limit $(touch pwned) 'a\"b.yaml";
    writeFileSync(project.path(name), project.text("job.yaml"));
    const { status, stdout } = await project.run("run", "--detach", "--limit", "4", "--", name, "says=true");
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${project.path("exp/job/limit-4")}\n` });
    await project.run("attach", "exp/job/limit-4");
    expect(project.names("")).not.toContain("pwned");
  });
});

describe.concurrent("millrace attach", () => {
  it.each(envs)(
    "reports the error that ended the run, with its exit code, as an attached run does, env %s",
    async (env) => {
      const project = makeProject();
      const words = [`parallel.env=${env}`, "runner.on_error=fail", "fails=[10]", "fails_until=fixed"];
      await detach(project, ...words, "held=[9]", "held_until=go");
      const attached = project.start(["attach", "exp/job"]);
      await attached.seen(/JobRunner: \d+\/20 items/);
      project.touch("go");
      const expected =
        /^millrace: JobRunner\.forward failed at item 10: time is out at 10\n {2}in jobs\.js:\d+:\d+\n {2}-> .*\n {2}\[millrace explain ITEM_FAILED\]$/m;
      expect(await attached.ended).toMatchObject({ status: 1, stderr: expect.stringMatching(expected) });
      const later = await project.run("attach", "exp/job", "--json");
      expect(later).toMatchObject({ status: 1, stderr: expect.stringMatching(expected) });
      expect(JSON.parse(later.stdout)).toMatchObject({ state: "failed", failure: { item: 10 } });
    },
  );

  it("leaves the run alone at Ctrl-C", async () => {
    const project = makeProject();
    await detach(project, "held=[10]", "held_until=go");
    const attached = project.start(["attach", "exp/job"]);
    await attached.seen(/JobRunner: \d+\/20 items/);
    attached.child.kill("SIGINT");
    expect(await attached.ended).toMatchObject({ status: 130, stderr: expect.stringContaining("the run continues") });
    expect(await statusOf(project)).toMatchObject({ state: "running" });
    project.touch("go");
    expect((await project.run("attach", "exp/job")).status).toBe(0);
  });

  it("ends with 3 where items failed", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[1]");
    expect(await project.run("attach", "exp/job")).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("1 failed"),
    });
  });
});

describe.concurrent("millrace cancel", () => {
  it("has nothing to do for a complete run, nor for one without workers", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8]", "runner.on_error=fail");
    expect((await project.run("cancel", "exp/job")).stderr).toContain("was not running; it is at 5 of 20 items");
    const unwaited = await project.run("cancel", "exp/job", "--no-wait");
    expect(unwaited).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("was not running; it is at 5 of 20"),
    });
    await project.run("run", "job.yaml", "--accept-change");
    expect(await project.run("cancel", "exp/job")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("is complete: there is nothing to cancel"),
    });
  });

  it("can leave the waiting to others; the run it stops ends with 3", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "items=2000", "slow_until=go", "says=true"]);
    await run.seen(/at item 3/);
    expect((await project.run("cancel", "exp/job", "--no-wait")).stderr).toContain("is asked to stop");
    expect(await run.ended).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("shards to do.\n  -> Run again"),
    });
  });
});
