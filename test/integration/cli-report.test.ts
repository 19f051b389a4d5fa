import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject } from "../support/cli/project.ts";

describe.concurrent("millrace report", () => {
  it("puts the whole story of a run into one file, and replaces its own", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2]", "fails_with=</script><b>");
    const { status, stderr } = await project.run("report", "exp/job");
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("exp/job/report.html") });
    const page = project.text("exp/job/report.html");
    const [, json] = /id="report-data">(.*?)<\/script>/.exec(page)!;
    expect(JSON.parse(json!)).toMatchObject({
      snapshot: {
        overview: { state: "complete with failures", items: { total: 20, done: 20, failed: 1 } },
        shards: "fccc",
      },
      failures: { total: 1, failures: [{ item: 2, error: { message: "</script><b>" } }] },
      plan: { items: 20, shards: 4 },
    });
    expect((await project.run("report", "exp/job")).status).toBe(0);
    expect((await project.run("verify", "exp/job")).status).toBe(0);
    expect((await project.run("run", "job.yaml", "fails=[2]", "fails_with=</script><b>")).status).toBe(3);
  });

  it("writes elsewhere on demand, and not over what another program has made", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    expect((await project.run("report", "exp/job", "--out", "kept.html")).status).toBe(0);
    expect(project.names("exp/job")).not.toContain("report.html");
    writeFileSync(project.path("mine.html"), "<!doctype html><p>years of work");
    const { status, stderr } = await project.run("report", "exp/job", "--out", "mine.html");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("not a report of millrace"),
    });
    expect(project.text("mine.html")).toBe("<!doctype html><p>years of work");
    const folder = await project.run("report", "exp/job", "--out", "exp");
    expect(folder).toMatchObject({ status: 2, stderr: expect.stringContaining("--out") });
    const nowhere = await project.run("report", "exp/job", "--out", "no/such/folder/report.html");
    expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be written") });
  });

  it("says where there is no run", async () => {
    const project = makeProject();
    expect((await project.run("report", "exp")).stderr).toContain("exp");
  });
});
