import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { addresses, type RunCard } from "../../src/dashboard/run-view.ts";
import { makeProject, type Project } from "../support/cli/project.ts";
import { startDashboard } from "../support/dashboard-client.ts";

const fails = ["runner.on_error=fail", "fails=[7]", "fails_until=fixed", "fails_with=seven is bad"];

interface Status {
  readonly state: string;
  readonly failure?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly item?: number;
    readonly worker?: string;
    readonly at?: number;
    readonly place?: string;
  };
}

async function statusOf(project: Project, runDir = "exp/job"): Promise<Status & { code: number }> {
  const { stdout, status } = await project.run("status", runDir, "--json");
  return { ...(JSON.parse(stdout) as Status), code: status };
}

/** Runs a job to its error. */
async function fail(project: Project, env: string, ...more: string[]): Promise<void> {
  const words = ["job.yaml", ...fails, `parallel.env=${env}`, `parallel.n_workers=${env === "local" ? 1 : 2}`, ...more];
  const { status, stderr } = await project.run("run", ...words);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("seven is bad") });
}

describe.concurrent.each(["local", "process", "thread"])("a run that an item has ended, env %s", (env) => {
  it("is failed in status, with error, item, worker, time and place", async () => {
    const project = makeProject();
    const before = Date.now();
    await fail(project, env);
    const { state, failure, code } = await statusOf(project);
    expect({ state, code }).toEqual({ state: "failed", code: 1 });
    expect(failure).toMatchObject({
      code: "ITEM_FAILED",
      message: expect.stringContaining("seven is bad"),
      hint: expect.any(String),
      item: 7,
      worker: expect.stringMatching(/^\w{6}-\w{6}$/),
      place: expect.stringMatching(/jobs\.js:\d+:\d+$/),
    });
    expect(failure!.at).toBeGreaterThanOrEqual(before);
    expect(failure!.at).toBeLessThanOrEqual(Date.now());
    const { stdout, status } = await project.run("status", "exp/job");
    expect(status).toBe(1);
    expect(stdout).toMatch(/exp\/job: failed\n {2}error {4}ITEM_FAILED: .*seven is bad/);
    expect(stdout).toMatch(/ {2}at {7}item 7, jobs\.js:\d+:\d+, worker \w{6}-\w{6}, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
  });
});

describe.concurrent("a failed run", () => {
  it("is failed where it continued in the background", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", ...fails, "parallel.env=process", "--detach");
    await expect.poll(async () => (await statusOf(project)).state).toBe("failed");
    expect((await statusOf(project)).failure).toMatchObject({ code: "ITEM_FAILED", item: 7 });
    const { status, stderr } = await project.run("attach", "exp/job");
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("seven is bad") });
  });

  it("is failed where its workers needed no driver", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", ...fails, "parallel.env=process", "+runner.async_mode=true");
    await expect.poll(async () => (await statusOf(project)).state).toBe("failed");
    expect((await statusOf(project)).failure).toMatchObject({ code: "ITEM_FAILED", item: 7 });
  });

  it("is failed where its workers needed no driver and none of them could build its env", async () => {
    const project = makeProject();
    const words = ["provider._target_=./jobs.js#BrokenProvider", "parallel.env=process", "+runner.async_mode=true"];
    await project.run("run", "job.yaml", ...words);
    await expect.poll(async () => (await statusOf(project)).state).toBe("failed");
    expect((await statusOf(project)).failure).toMatchObject({ code: "ENV_FAILED" });
  });

  it("is listed as failed, with the reason", async () => {
    const project = makeProject();
    await fail(project, "local");
    const { stdout } = await project.run("list", "exp");
    expect(stdout).toMatch(/^failed +.*exp\/job {2}5 of 20 items; ITEM_FAILED: .*seven is bad/);
    const row = JSON.parse((await project.run("list", "exp", "--json")).stdout) as Status;
    expect(row).toMatchObject({ state: "failed", failure: { code: "ITEM_FAILED", item: 7 } });
  });

  it("stays failed after a cancel and after a start that was refused, and not after the next start", async () => {
    const project = makeProject();
    await fail(project, "process");
    await project.run("cancel", "exp/job");
    expect(await statusOf(project)).toMatchObject({ state: "failed", failure: { item: 7 } });
    expect(await project.run("run", "job.yaml", "fails_with=other")).toMatchObject({ status: 1 });
    expect(await statusOf(project)).toMatchObject({ state: "failed", failure: { item: 7 } });
    project.touch("fixed");
    expect(await project.run("run", "job.yaml", ...fails)).toMatchObject({ status: 0 });
    expect(await statusOf(project)).toMatchObject({ state: "complete", code: 0 });
    expect((await statusOf(project)).failure).toBeUndefined();
  });

  it("is recognised by what an older version kept: the error alone, or the reason of a stop", async () => {
    const project = makeProject();
    await fail(project, "local");
    const file = project.path("exp/job/.millrace/failure.json");
    const { at: _at, worker: _worker, ...older } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(older));
    expect(await statusOf(project)).toMatchObject({ state: "failed", failure: { item: 7, at: expect.any(Number) } });
    writeFileSync(file, "{ torn");
    expect(await statusOf(project)).toMatchObject({ state: "stopped" });
    writeFileSync(project.path("exp/job/.millrace/stop"), JSON.stringify(older));
    expect(await statusOf(project)).toMatchObject({ state: "failed", failure: { item: 7 } });
    await project.run("cancel", "exp/job");
    expect(await statusOf(project)).toMatchObject({ state: "failed", failure: { item: 7 } });
  });

  it("is none that was cancelled", async () => {
    const project = makeProject();
    const started = project.start(["run", "job.yaml", "items=2000", "slow_until=never", "says=true"]);
    await started.seen(/at item 1/);
    await project.run("cancel", "exp/job");
    expect(await started.ended).toMatchObject({ status: 3 });
    expect(await statusOf(project)).toMatchObject({ state: "stopped", code: 0 });
  });
});

describe.concurrent("a complete run", () => {
  it("differs from one that is complete with failures", async () => {
    const project = makeProject();
    expect(await project.run("run", "job.yaml", "fails=[3,7]", "fails_until=fixed")).toMatchObject({ status: 3 });
    expect(await statusOf(project)).toMatchObject({ state: "complete with failures", code: 0 });
    expect((await project.run("status", "exp/job")).stdout).toContain("exp/job: complete with failures\n");
    expect((await project.run("list", "exp")).stdout).toMatch(/^complete with failures +.*20 of 20 items, 2 failed/);
    expect((await project.run("attach", "exp/job")).status).toBe(3);
    project.touch("fixed");
    expect(await project.run("retry", "exp/job")).toMatchObject({ status: 0 });
    expect((await runStatus(join(project.dir, "exp/job"))).state).toBe("complete");
  });

  it("says at the next start that nothing was left to do, with the same exit code", async () => {
    const project = makeProject();
    const first = await project.run("run", "job.yaml", "parallel.env=process");
    expect(first).toMatchObject({ status: 0 });
    expect(first.stderr).not.toContain("nothing was left to do");
    await sleep(10);
    for (const env of ["process", "local", "thread"]) {
      const { status, stderr } = await project.run("run", "job.yaml", `parallel.env=${env}`);
      expect(status).toBe(0);
      expect(stderr).toMatch(/nothing was left to do: all 20 items were done on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/);
    }
    expect((await project.run("run", "job.yaml", "--restart")).stderr).not.toContain("nothing was left to do");
  });

  it("says at the next start which of its items are left to be retried", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[3]", "fails_until=fixed");
    const { status, stderr } = await project.run("run", "job.yaml", "fails=[3]", "fails_until=fixed");
    expect(status).toBe(3);
    expect(stderr).toMatch(/nothing was left to do: all 20 items were done on .*; 1 of them failed/);
  });
});

describe("the dashboard and the report", () => {
  it("show a failed run as failed, with the reason", async () => {
    const project = makeProject();
    await fail(project, "local");
    const dashboard = await startDashboard({ dir: project.path("exp") });
    const [card] = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    expect(card).toMatchObject({ state: "failed", error: expect.stringContaining("seven is bad") });
    const seen = dashboard.follow(addresses.stream(card!.id));
    await expect
      .poll(() => seen.now?.overview)
      .toMatchObject({
        state: "failed",
        failure: { code: "ITEM_FAILED", item: 7, message: expect.stringContaining("seven is bad") },
      });
    expect(await project.run("report", "exp/job")).toMatchObject({ status: 0 });
    const [, json] = /id="report-data">([^<]*)</.exec(project.text("exp/job/report.html"))!;
    const report = JSON.parse(json!) as { snapshot: { overview: Status }; card: Status };
    expect(report.card.state).toBe("failed");
    expect(report.snapshot.overview).toMatchObject({ state: "failed", failure: { item: 7 } });
  });

  it("distinguish a complete run from one that is complete with failures", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[3]");
    await project.run("run", "job.yaml", "runner.output_dir=exp/good");
    const dashboard = await startDashboard({ dir: project.path("exp") });
    const cards = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    expect(cards.map(({ folder, state }) => [folder, state])).toEqual([
      ["good", "complete"],
      ["job", "complete with failures"],
    ]);
  });
});
