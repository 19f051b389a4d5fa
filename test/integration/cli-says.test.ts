import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atTheEnd, makeProject, type Project, start } from "../support/cli/project.ts";

interface Status {
  readonly state: string;
  readonly stalled?: string;
  readonly workers: readonly { readonly pid: number; readonly worker: string }[];
}

async function statusOf(project: Project): Promise<Status> {
  return JSON.parse((await project.run("status", "exp/job", "--json")).stdout) as Status;
}

describe.concurrent("the end of millrace run", () => {
  it("shows time, rate and the place of the records, and no row that says nothing", async () => {
    const project = makeProject();
    const { stdout } = await project.run("run", "job.yaml");
    expect(stdout).toMatch(
      /^.*exp\/job: complete\n {2}items {4}20 of 20\n {2}took {5}0:\d\d for 20 items \([\d.,]+ items\/s\)\n {2}records {2}exp\/job\/split\.\*\/records\.jsonl\n$/,
    );
    const again = await project.run("run", "job.yaml");
    expect(again.stderr).toContain("nothing was left to do: all 20 items were done on ");
    expect(again.stdout).toMatch(/complete\n {2}items {4}20 of 20\n {2}records {2}exp.*\n$/);
    expect((await project.run("status", "exp/job")).stdout).toBe(again.stdout);
    const merged = await project.run("run", "job.yaml", "+runner.merge_files=true");
    expect(merged.stdout).toMatch(/^ {2}records {2}exp\/job\/records\.jsonl$/m);
  });

  it("counts what this start has done, and says why items failed", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[7]", "fails_until=fixed", "runner.on_error=fail");
    project.touch("fixed");
    const resumed = await project.run("run", "job.yaml", "fails=[7]", "fails_until=fixed");
    expect(resumed.stdout).toMatch(/^ {2}took {5}0:\d\d for 13 items /m);
    const failed = await project.run("run", "job.yaml", "fails=[2,5,11]", "--restart");
    expect(failed.stdout).toMatch(
      /exp\/job: complete with failures\n {2}items {4}20 of 20, 3 failed\n(?:.*\n)* {2}failed {3}millrace failures exp\/job shows why, .*\n {4}3 x time is out at N\n$/,
    );
  });
});

describe.concurrent("millrace retry", () => {
  it("says what failed again, and why", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2,5]");
    const { status, stdout } = await project.run("retry", "exp/job");
    expect(status).toBe(3);
    expect(stdout).toMatch(
      /^exp\/job: 2 items were run again, 0 succeeded, 2 failed again\n\n2 x {2}time is out at N\n {5}items 2, 5\n {5}the first says: time is out at 2\n {5}at .*jobs\.js/,
    );
    await project.run("run", "job.yaml", "--restart");
    expect(await project.run("retry", "exp/job")).toMatchObject({
      status: 0,
      stdout: "exp/job: no item has failed: nothing was left to do\n",
    });
  });
});

describe.concurrent("the state of a run", () => {
  it("is stalled where its worker hangs, and names the worker as its log does", async () => {
    const project = makeProject();
    const words = ["held=[7]", "held_until=go", "says=true", "parallel.env=process", "+runner.lease_ttl=3000"];
    const run = project.start(["run", "job.yaml", ...words]);
    await run.seen(/at item 7/);
    await expect.poll(async () => (await statusOf(project)).workers.length).toBe(1);
    const { worker, pid } = (await statusOf(project)).workers[0]!;
    atTheEnd(() => {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // It has ended.
      }
    });
    process.kill(pid, "SIGSTOP");
    await expect
      .poll(() => statusOf(project), { timeout: 20_000 })
      .toMatchObject({
        state: "stalled",
        stalled: expect.stringMatching(new RegExp(`^worker ${worker} gives no sign of life for 0:\\d\\d$`)),
      });
    expect((await project.run("status", "exp/job")).stdout).toMatch(
      /exp\/job: stalled, worker .* gives no sign of life/,
    );
    expect((await project.run("list", "exp")).stdout).toMatch(/^stalled +exp\/job {2}\d+ of 20 items; worker /);
    expect((await project.run("logs", "exp/job")).stdout).toMatch(new RegExp(`^--- ${worker}\n`));
    process.kill(pid, "SIGCONT");
    project.touch("go");
    expect((await run.ended).status).toBe(0);
    expect(await statusOf(project)).toMatchObject({ state: "complete" });
  });

  it("is coloured on a terminal, and not where NO_COLOR is set", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const seen = await project.startInTerminal(["list", "exp"]).ended;
    expect(seen.stdout).toContain("\u001b[32mcomplete ");
    const plain = await project.startInTerminal(["list", "exp"], { NO_COLOR: "1" }).ended;
    expect(plain.stdout).toMatch(/^complete /);
  });
});

const never = `
import { defineRun, isMainModule, range } from "millrace";
const forever = () => new Promise(() => {});
const at = (where, otherwise) => (process.argv[2] === where ? forever() : otherwise);
export const never = defineRun(import.meta, {
  env: () => at("env", {}),
  concurrency: process.argv[2] === "concurrency" ? 3 : 1,
  forward: (i) => (i === 5 && ["forward", "concurrency"].includes(process.argv[2]) ? forever() : { i }),
  writers: () => ({}),
  write: () => at("write"),
  merge: () => at("merge", "merged"),
});
const onError = process.argv[3] ?? "fail";
if (isMainModule(import.meta)) console.log(await never.run(range(20), { outputDir: "exp", onError, parallel: { env: "local" } }));
`;

describe.concurrent("a promise that never settles, in this process", () => {
  it.each([
    ["forward", /never\.forward failed at item 5: the promise that forward returned for item 5 can never settle/],
    ["concurrency", /never\.forward failed at item 5: the promise that forward returned for item 5 can never settle/],
    ["env", /ENV_FAILED/],
    ["write", /A hook of never returned a promise that can never settle/],
    ["merge", /merge waits for a promise that can never settle/],
  ])("is an error where it comes from %s", async (where, message) => {
    const project = makeProject();
    writeFileSync(project.path("never.mjs"), never);
    const { status, stderr } = await start([process.execPath, "never.mjs", where], project.dir).ended;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(message) });
  });

  it("is a failed item where such items are skipped", async () => {
    const project = makeProject();
    writeFileSync(project.path("never.mjs"), never);
    const { status, stdout } = await start([process.execPath, "never.mjs", "forward", "skip"], project.dir).ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "merged\n" });
    expect((await project.run("failures", "exp")).stdout).toMatch(/^exp: 1 of 20 items failed/);
  });
});

describe.concurrent("an uncaught error of a script", () => {
  it.each(["local", "process"])("opens with what failed and the line of the user's code: env %s", async (env) => {
    const project = makeProject();
    const script = `
import { defineRun, isMainModule, range } from "millrace";
export const prep = defineRun(import.meta, {
  env: () => ({}),
  forward: (i) => ({ n: undefined.length }),
});
if (isMainModule(import.meta)) await prep.run(range(5), { outputDir: "exp", parallel: { env: "${env}", n_workers: 2 } });
`;
    writeFileSync(
      project.path("prep.mjs"),
      script.replace("n_workers: 2", env === "local" ? "n_workers: 1" : "n_workers: 2"),
    );
    const { status, stderr } = await start([process.execPath, "prep.mjs"], project.dir).ended;
    expect(status).toBe(1);
    // A busy machine may show progress before.
    const lines = stderr.split("\n").filter((line) => !line.startsWith("prep: "));
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^MillraceError: prep\.forward failed at item \d: Cannot read properties of undefined/),
      `  in ${project.path("prep.mjs")}:5:35`,
      expect.stringMatching(/^ {2}-> /),
    ]);
  });
});
