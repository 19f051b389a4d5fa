// A task of a submitted run that is started by hand, from the file that describes it.
import { statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endProcessesOf, hasProcesses } from "../support/chaos.ts";
import { makeProject } from "../support/cli/project.ts";

const words = ["run", "job.yaml", "parallel.env=process", "parallel.n_workers=2", "+runner.merge_files=true"];
const submits = ["+runner.async_mode=true", "+runner.async_specs_dir=specs", "held=[3]", "held_until=go"];

describe.skipIf(!hasProcesses)("a file of async_specs_dir", () => {
  it("is all that is needed to run its task by hand, and to merge", async () => {
    const project = makeProject();
    expect(await project.run(...words, ...submits)).toMatchObject({ status: 0 });
    const [name, ...others] = project.names("specs");
    expect(others).toEqual([]);
    endProcessesOf(project.path("exp/job"));

    const spec = JSON.parse(project.text(`specs/${name}`)) as Record<string, unknown>;
    expect(spec).toMatchObject({
      format: "millrace-job",
      env: "process",
      task: 0,
      tasks: 1,
      workers: 2,
      runDir: project.path("exp/job"),
      spec: { runner: { name: "JobRunner" }, provider: { name: "JobProvider" }, config: { held: [3] } },
    });
    // It holds the config, as spec.json does.
    expect(statSync(project.path(`specs/${name}`)).mode & 0o777).toBe(0o600);

    project.touch("go");
    const { status, stderr } = await project.run("worker", `specs/${name}`);
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("running task 0 of process-"),
    });
    expect(project.text("exp/job/records.jsonl").trimEnd().split("\n")).toHaveLength(20);
    expect((await project.run("status", "exp/job")).stdout).toContain(": complete");
  });

  it.each([
    ["is not JSON", "{", "it is not JSON"],
    ["is of another program", "{}", "it was not written by millrace"],
    ["is of a later version", '{"format":"millrace-job","version":2}', "this millrace reads version 1 of it, not 2"],
    ["names no task", '{"format":"millrace-job","version":1,"runDir":"/x","name":"y"}', "it names no run folder"],
  ])("that %s is refused", async (_what, text, why) => {
    const project = makeProject();
    writeFileSync(project.path("spec.json"), text);
    expect(await project.run("worker", "spec.json")).toMatchObject({ status: 2, stderr: expect.stringContaining(why) });
  });
});

describe("a run that was submitted on this machine", () => {
  it("can be attached to at once", async () => {
    const project = makeProject();
    expect(await project.run(...words, "+runner.async_mode=true")).toMatchObject({ status: 0 });
    expect(await project.run("attach", "exp/job")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(": complete"),
    });
  });
});
