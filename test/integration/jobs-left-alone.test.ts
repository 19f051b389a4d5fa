// What is asked and cancelled later, by a process that knows the run folder only. With fakes of the schedulers' programs.
import { chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { fakeClusterRun } from "../support/fake-cluster.ts";

const elsewhere = {
  kube: { image: "i", volume_claim: "v", mount_path: "/", namespace: "speech", context: "lab" },
  htcondor: { submit_command_extra: ["-name", "far", "-pool", "lab"] },
} as const;

describe.concurrent.each(["kube", "htcondor"] as const)("jobs of %s that were submitted elsewhere", (env) => {
  const options = elsewhere[env];

  it("are found by a later command, and not submitted twice", async ({ expect }) => {
    const run = fakeClusterRun(env, { options });
    expect(await run.start("submit", { itemMs: 2000 })).toMatchObject({ code: 0 });
    await waitUntil(() => run.workersBuilt() === 2, { what: "both workers are at work" });
    expect((await run.millrace(["status", run.outputDir])).stdout).toContain(`${env} jobs: 0 pending, 2 running`);
    expect(run.records().map(({ isClosed }) => isClosed)).toEqual([undefined]);
    expect(await run.start("submit", { itemMs: 2000 })).toMatchObject({ code: 0 });
    expect(run.submissions()).toHaveLength(1);
    expect(await run.millrace(["cancel", run.outputDir])).toMatchObject({ code: 0 });
  });

  it("are cancelled before they have begun", async ({ expect }) => {
    const run = fakeClusterRun(env, { options, variables: { FAKE_START_DELAY_MS: "60000" } });
    await run.start("submit");
    expect((await run.millrace(["status", run.outputDir])).stdout).toContain(`${env} jobs: 2 pending`);
    expect(await run.millrace(["cancel", run.outputDir])).toMatchObject({ code: 0 });
    await waitUntil(() => run.submissions()[0]!.states.every((state) => state === "cancelled"), {
      what: "no task is left",
    });
    expect(run.workersBuilt()).toBe(0);
  });
});

describe.concurrent("a record of an older version", () => {
  it("does not say where the jobs are: they are at the usual place", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { variables: { FAKE_START_DELAY_MS: "60000" } });
    await run.start("submit");
    const [{ own, ...record } = {}] = run.records();
    expect(own).toEqual({});
    writeFileSync(join(run.outputDir, ".millrace", "jobs", `${String(record["name"])}.json`), JSON.stringify(record));
    expect((await run.millrace(["status", run.outputDir])).stdout).toContain("pbs jobs: 2 pending");
    expect(await run.millrace(["cancel", run.outputDir])).toMatchObject({ code: 0 });
    await waitUntil(() => run.submissions()[0]!.states.every((state) => state === "cancelled"), {
      what: "no task is left",
    });
  });
});

describe.concurrent("jobs that another user has submitted for the run", () => {
  it.skipIf(process.geteuid?.() !== 0)(
    "are counted by a driver and not doubled, and neither it nor cancel ends them (needs root, to give a file away)",
    async ({ expect }) => {
      const run = fakeClusterRun("pbs", { variables: { FAKE_START_DELAY_MS: "120000" } });
      await run.start("submit");
      const [record] = run.records();
      const file = join(run.outputDir, ".millrace", "jobs", `${String(record!["name"])}.json`);
      chownSync(file, 54_321, 54_321);
      const driver = run.start("run");
      await waitUntil(async () => (await runStatus(run.outputDir)).state === "running", { what: "a driver is there" });
      const cancelled = await run.millrace(["cancel", run.outputDir]);
      expect(cancelled.stderr).toMatch(/is not cancelled, as its record belongs to user 54321/);
      expect(cancelled.code).toBe(1);
      expect((await driver).stderr).toMatch(/its record belongs to user 54321; its user can, with millrace cancel/);
      expect(run.submissions().map(({ states }) => states)).toEqual([["pending", "pending"]]);
      expect(run.records()).toEqual([record]);
    },
  );
});

describe.concurrent("a scheduler in trouble", () => {
  it("is slow to answer, and keeps no history: the run is complete nevertheless", async ({ expect }) => {
    const variables = { FAKE_DELAY_MS: "700", FAKE_NO_HISTORY: "1" };
    const run = fakeClusterRun("pbs", { variables });
    expect(await run.start("run")).toMatchObject({ code: 0 });
    expect(await runStatus(run.outputDir)).toMatchObject({ state: "complete" });
    expect(run.submissions()).toHaveLength(1);
  });

  it.each(["pbs", "lsf"] as const)("(%s) starts jobs late and never says how they stand", async (env) => {
    const status = { pbs: "qstat", lsf: "bjobs" }[env];
    const variables = { FAKE_START_DELAY_MS: "2000", FAKE_HANG: status };
    // PBS is asked for it by the program that hangs.
    const run = fakeClusterRun(env, { options: { max_array_size: 100 }, variables });
    expect(await run.start("run")).toMatchObject({ code: 0 });
    expect(await runStatus(run.outputDir)).toMatchObject({ state: "complete" });
    expect(run.submissions()).toHaveLength(1);
  });

  it("does not cancel: that is reported, and is no success", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { variables: { FAKE_START_DELAY_MS: "60000" } });
    await run.start("submit");
    const refused = await run.millrace(["cancel", run.outputDir], { FAKE_DOWN: "qdel" });
    expect(refused.stderr).toMatch(
      /could not be cancelled: qdel: cannot connect[\s\S]*its pending jobs are not cancelled/,
    );
    expect(refused.code).toBe(1);
    expect(await run.millrace(["cancel", run.outputDir, "--no-wait"], { FAKE_DOWN: "qdel" })).toMatchObject({
      code: 1,
    });
    expect(await run.millrace(["cancel", run.outputDir])).toMatchObject({ code: 0 });
  });

  it("holds jobs: the reason is shown", async ({ expect }) => {
    const variables = { FAKE_START_DELAY_MS: "60000", FAKE_HOLD_REASON: "memory usage exceeded request_memory" };
    const run = fakeClusterRun("htcondor", { variables });
    await run.start("submit");
    expect((await run.millrace(["status", run.outputDir])).stdout).toContain(
      "htcondor jobs: 2 pending (held, memory usage exceeded request_memory), 0 running",
    );
    await run.millrace(["cancel", run.outputDir]);
  });
});

describe.concurrent("a submission that its scheduler takes late", { timeout: 300_000 }, () => {
  // On a busy machine even a fake takes a while to answer.
  const options = { submit_timeout: 4, poll_interval: 1 };

  it("is found before another one is made", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { options, variables: { FAKE_ACCEPT_AFTER: "qselect:3" } });
    expect(await run.start("run", { itemMs: 20 })).toMatchObject({ code: 0 });
    expect(run.submissions()).toHaveLength(1);
    expect(run.workersBuilt()).toBe(2);
  });

  it("after another one replaced it is cancelled or leaves at once, and none of its tasks works", async ({
    expect,
  }) => {
    const run = fakeClusterRun("pbs", { options, variables: { FAKE_ACCEPT_AFTER: "qsub:2" } });
    expect(await run.start("run", { itemMs: 400 })).toMatchObject({ code: 0 });
    // Cancelled by the driver, or, where the scheduler is slower than the driver waits at its end, left by its tasks.
    expect(run.records().filter(({ isUnwanted }) => isUnwanted === true)).toHaveLength(1);
    expect(run.submissions()).toHaveLength(2);
    await waitUntil(
      () => run.submissions().every(({ states }) => states.every((state) => ["done", "cancelled"].includes(state))),
      { what: "no task of either submission is left" },
    );
    expect(run.workersBuilt()).toBe(2);
  });

  it("has no running task, even without a driver", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { options, variables: { FAKE_ACCEPT_AFTER: "qsub:2" } });
    expect(await run.start("submit", { itemMs: 2000 })).toMatchObject({ code: 0 });
    await waitUntil(() => run.submissions().some(({ states }) => states.every((one) => one === "done")), {
      what: "the late tasks have left",
    });
    await waitUntil(() => run.workersBuilt() >= 2, { what: "the others are at work" });
    expect(run.workersBuilt()).toBe(2);
    expect(await runStatus(run.outputDir)).toMatchObject({ state: "running" });
    await run.millrace(["cancel", run.outputDir]);
  });

  it("is not repeated by the next driver, while the scheduler does not say whether it took it", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { options, variables: { FAKE_START_DELAY_MS: "60000" } });
    const refused = await run.start("submit", { variables: { FAKE_LOSE_ANSWER: "1", FAKE_DOWN: "qselect" } });
    expect(refused.stderr).toMatch(/did not take the jobs/);
    expect(run.submissions()).toHaveLength(1);
    const next = await run.start("submit", { variables: { FAKE_DOWN: "qselect" } });
    expect(next.stderr).toMatch(/does not say whether it took the submission/);
    expect(run.submissions()).toHaveLength(1);
  });
});

describe.concurrent("the output of jobs that write it elsewhere", () => {
  it("is shown, and that of other runs is not", async ({ expect }) => {
    const run = fakeClusterRun("pbs", { items: 4 });
    const logs = join(run.folder, "logs of jobs");
    mkdirSync(logs);
    writeFileSync(join(logs, "job-millrace-other0.0.log"), "from another run\n");
    const talking = { log_directory: logs, job_script_prologue: ["echo from the prologue"] };
    const own = fakeClusterRun("pbs", { items: 4, options: talking });
    expect(await own.start("run")).toMatchObject({ code: 0 });
    expect(readdirSync(logs).length).toBeGreaterThan(1);
    const { stdout } = await own.millrace(["logs", own.outputDir, "--driver"]);
    expect(stdout).toContain("from the prologue");
    expect(stdout).not.toContain("from another run");
  });
});
