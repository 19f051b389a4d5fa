import { spawnSync } from "node:child_process";
import { beforeEach, describe, expect, it } from "vitest";
import { makeProject, type Project, type Started } from "../support/cli/project.ts";

// A job that is slow until the file `go` is there, with one bad item a shard.
const bad = Array.from({ length: 225 }, (_, shard) => 4 * shard);
const words = ["job.yaml", "items=900", "slow_until=go", `fails=[${bad}]`, "runner.shards=225"];
const twoWorkers = ["parallel.env=process", "parallel.n_workers=2"];

const colours = ["\u001b[32m", "\u001b[2m", "\u001b[0m"];
const clearBelow = "\u001b[J";

beforeEach((context) => {
  if (spawnSync("script", ["--version"]).error !== undefined) context.skip("script, of util-linux, is missing");
});

const headline = String.raw`JobRunner: \d+/900 items \(\d+ %\) \| [\d.]+ items/s \| [\d:]+ left \| \d+ failed\S*`;
const bar = String.raw`\S*─\S*`;
const worker = String.raw`\w+-\w+ \(\S+:\d+\)  split\.\d+ of 225, item \d+.*`;
const wholeBlock = new RegExp([headline, bar, worker, worker].join(String.raw`\s+`));

function withoutColour(text: string): string {
  return colours.reduce((plain, colour) => plain.replaceAll(colour, ""), text);
}

/** Has the run continue to its end once the block shows all there is to show; returns the output. */
async function watchToTheEnd(project: Project, shown: Started): Promise<string> {
  await shown.seen(wholeBlock);
  project.touch("go");
  const { stdout } = await shown.ended;
  // One line stays, and nothing of the block below it.
  const [last] = stdout.split("JobRunner: ").at(-1)!.split("\r\n") as [string];
  expect(last).toMatch(/^900\/900 items \(100 %\).*225 failed/);
  expect(last).toContain(clearBelow);
  return stdout;
}

describe.concurrent("progress on a terminal", () => {
  it("is a block of a run with its rate, time left, failures and a line for each worker", async () => {
    const project = makeProject();
    const output = await watchToTheEnd(project, project.startInTerminal(["run", ...words, ...twoWorkers]));
    for (const colour of colours) expect(output).toContain(colour);
  });

  it.each([
    ["attach", ["attach", "exp/job"]],
    ["status --watch", ["status", "exp/job", "--watch"]],
  ])("is the same for %s", async (_name, command) => {
    const project = makeProject();
    const run = project.start(["run", ...words, ...twoWorkers]);
    await expect.poll(() => project.names("exp/job/.millrace/workers")).not.toEqual([]);
    const output = await watchToTheEnd(project, project.startInTerminal(command));
    expect(output).toMatch(/exp\/job: \S*complete/);
    await run.ended;
  });

  it("has no colour with NO_COLOR, in all three", async () => {
    const project = makeProject();
    const run = project.startInTerminal(["run", ...words], { NO_COLOR: "1" });
    await run.seen(/━/);
    const others = [
      project.startInTerminal(["attach", "exp/job"], { NO_COLOR: "1" }),
      project.startInTerminal(["status", "exp/job", "-w"], { NO_COLOR: "1" }),
    ];
    await Promise.all(others.map((other) => other.seen(/━/)));
    project.touch("go");
    for (const { ended } of [run, ...others]) {
      const { stdout } = await ended;
      expect(withoutColour(stdout)).toBe(stdout);
    }
  });

  it("is lines on a terminal that obeys nothing, in all three", async () => {
    const project = makeProject();
    const run = project.startInTerminal(["run", ...words], { TERM: "dumb" });
    await run.seen(/JobRunner: /);
    const others = [
      project.startInTerminal(["attach", "exp/job"], { TERM: "dumb" }),
      project.startInTerminal(["status", "exp/job", "-w"], { TERM: "dumb" }),
    ];
    await Promise.all(others.map((other) => other.seen(/JobRunner: /)));
    project.touch("go");
    for (const { ended } of [run, ...others]) {
      const { stdout } = await ended;
      expect(stdout).not.toContain("\u001b");
      expect(stdout).toMatch(/^JobRunner: 900\/900 items \(100 %\)[ |\w./:]*\r$/m);
    }
  });
});

describe.concurrent("progress into a file", () => {
  it("is lines without anything of a terminal, for run, attach and status --watch", async () => {
    const project = makeProject();
    const run = project.start(["run", ...words, ...twoWorkers]);
    await run.seen(/JobRunner: /);
    const others = [project.start(["attach", "exp/job"]), project.start(["status", "exp/job", "--watch"])];
    await Promise.all(others.map((other) => other.seen(/JobRunner: /)));
    project.touch("go");
    for (const { ended } of [run, ...others]) {
      const { stdout, stderr } = await ended;
      const lines = stderr.trim().split("\n");
      for (const line of lines) expect(line).toMatch(/^JobRunner: \d+\/900 items \(\d+ %\)[ |\w./:]*$/);
      expect(lines.at(-1)).toContain("900/900");
      expect(stdout).toMatch(/exp\/job: \S*complete/);
    }
  });

  it("is not there with --json", async () => {
    const project = makeProject();
    const run = project.start(["run", ...words, "--json"]);
    await expect.poll(() => project.names("exp/job/split.0")).toContain("done");
    project.touch("go");
    expect((await run.ended).stderr).toBe("");
  });
});
