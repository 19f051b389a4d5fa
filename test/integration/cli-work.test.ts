import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, makeProject, projectIn } from "../support/cli/project.ts";

/** Flips one byte of a file. */
function damage(path: string): void {
  const byte = readFileSync(path)[5]!;
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.from([byte ^ 1]), 0, 1, 5);
  closeSync(fd);
}

describe.concurrent("millrace status", () => {
  it("shows who is at which item, in words and as JSON", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "held=[7]", "held_until=go"]);
    const status = async () => (await project.run("status", "exp/job")).stdout;
    await expect.poll(status).toMatch(/\w{6}-\w{6} \(.*:\d+\) at item \d of split\.1$/m);
    expect(await status()).toMatch(
      /exp\/job: running\n {2}items {4}\d of 20\n {2}shards {3}1 of 4 committed\n {2}workers {2}1/,
    );
    const { stdout } = await project.run("status", "exp/job", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ state: "running", workers: [{ pid: run.child.pid, shard: 1 }] });
    project.touch("go");
    await run.ended;
  });

  it("prints JSON lines for a program until no worker runs", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "held=[7]", "held_until=go", "says=true"]);
    await run.seen(/at item 7/);
    const watch = project.start(["status", "exp/job", "--watch", "--json"]);
    await watch.seen(/"state":"running"/);
    project.touch("go");
    const lines = (await watch.ended).stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { state: string }).state).at(-1)).toBe("complete");
  });
});

describe.concurrent("millrace failures", () => {
  it("shows the reasons with their items, one item whole, and the same as JSON", async () => {
    const project = makeProject();
    expect((await project.run("failures", "exp/job")).status).toBe(1);
    expect((await project.run("run", "job.yaml", "fails=[2,5,11]")).status).toBe(3);
    const { status, stdout } = await project.run("failures", "exp/job");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^exp\/job: 3 of 20 items failed, for 1 reason\n\n3 x {2}time is out at N\n {5}items 2, 5, 11\n {5}the first says: time is out at 2\n {5}at .*jobs\.js/,
    );
    expect(stdout).toMatch(/millrace retry exp\/job runs them again\n$/);
    const one = await project.run("failures", "exp/job", "--item", "5");
    expect(one.stdout).toMatch(
      /^item 5 failed after 1 try, in attempt 1 at its shard\nError: time is out at 5\n {4}at /,
    );
    const json = JSON.parse((await project.run("failures", "exp/job", "--json")).stdout) as object;
    expect(json).toMatchObject({ message: "time is out at N", count: 3, items: ["2", "5", "11"], first: { item: 2 } });
    const other = await project.run("failures", "exp/job", "--item", "7");
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining('Item "7" of exp/job has not failed') });
  });

  it("says that none has failed", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    expect(await project.run("failures", "exp/job")).toMatchObject({
      stdout: "exp/job: no item has failed\n",
      status: 0,
    });
  });
});

describe.concurrent("millrace retry", () => {
  it("runs failed items again, all of them or those with a certain message", async () => {
    const project = makeProject();
    const words = ["job.yaml", "fails=[2,5]", "fails_until=fixed", "+runner.merge_files=true"];
    expect((await project.run("run", ...words)).status).toBe(3);
    const still = await project.run("retry", "exp/job", "--failed");
    expect(still).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("2 items were run again, 0 succeeded, 2 failed again"),
    });
    project.touch("fixed");
    const one = await project.run("retry", "exp/job", "--error", "out at 2$");
    expect(one).toMatchObject({
      status: 3,
      stdout: expect.stringContaining("1 item was run again, 1 succeeded, 0 failed again, 1 other still fails"),
    });
    const all = await project.run("retry", "exp/job");
    expect(all).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("1 item was run again, 1 succeeded, 0 failed again"),
    });
    expect(project.text("exp/job/records.jsonl").split("\n").slice(1, 4)).toEqual([
      '{"idx":1}',
      '{"idx":2}',
      '{"idx":3}',
    ]);
  });

  it("runs nothing where no failed item matches, and says what they say instead", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2,5]", "says=true");
    const attempt = () => (JSON.parse(project.text("exp/job/split.0/done")) as { attempt: number }).attempt;
    const before = attempt();
    const { status, stdout, stderr } = await project.run("retry", "exp/job", "--error", "no such");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/No failed item of exp\/job has a message that matches \/no such\/\.\n.*"time is out at 2"/);
    expect(attempt()).toBe(before);
  });

  it("reports to a program what was tried and what is left", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2,5,12]", "fails_until=fixed", "says=true");
    const retry = async (...words: string[]) => {
      const { status, stdout, stderr } = await project.run("retry", "exp/job", "--json", ...words);
      expect(stderr.replace(/^at item \d+$/gm, "").trim()).toBe("");
      return { status, ...(JSON.parse(stdout) as object) };
    };
    const runDir = project.path("exp/job");
    expect(await retry("--error", "2$")).toMatchObject({
      status: 3,
      runDir,
      failedBefore: 3,
      tried: 2,
      failedNow: 3,
      again: [{ count: 2 }],
    });
    project.touch("fixed");
    expect(await retry("--error", "2$")).toEqual({
      status: 3,
      runDir,
      failedBefore: 3,
      tried: 2,
      failedNow: 1,
      again: [],
    });
    expect(await retry("--failed")).toEqual({ status: 0, runDir, failedBefore: 1, tried: 1, failedNow: 0, again: [] });
    expect(await retry("--error", "2$")).toEqual({
      status: 0,
      runDir,
      failedBefore: 0,
      tried: 0,
      failedNow: 0,
      again: [],
    });
  });

  it("is carried out where the run was started, as its workers are", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2]", "fails_until=fixed", "parallel.env=process");
    project.touch("fixed");
    const elsewhere = projectIn(emptyFolder());
    expect((await elsewhere.run("retry", project.path("exp/job"))).status).toBe(0);
    expect(JSON.parse(project.text("exp/job/.millrace/spec.json"))).toMatchObject({ cwd: project.dir });
  });
});

describe.concurrent("millrace merge", () => {
  it("refuses a run with shards to do", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8]", "runner.on_error=fail");
    const { status, stderr } = await project.run("merge", "exp/job");
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringMatching(/3 of 4 shards of .* are not committed/),
    });
  });

  it("makes one file of all shards on demand, and changes nothing of how the run is carried out", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "parallel.env=process");
    const spec = project.text("exp/job/.millrace/spec.json");
    expect(project.names("exp/job")).not.toContain("records.jsonl");
    expect(await project.run("merge", "exp/job", "--files")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("merged 4 shards"),
    });
    expect(project.text("exp/job/records.jsonl").trim().split("\n")).toHaveLength(20);
    expect(project.text("exp/job/.millrace/spec.json")).toBe(spec);
  });

  it("names a file that is not as it was committed", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    damage(project.path("exp/job/split.2/records.jsonl"));
    const { status, stderr } = await project.run("merge", "exp/job", "--files");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("split.2/records.jsonl") });
  });
});

describe.concurrent("millrace verify", () => {
  it("finds one flipped bit and names the file; that shard alone is made again as it says", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const sound = await project.run("verify", "exp/job");
    expect(sound).toMatchObject({ status: 0, stdout: "All files of 4 shards are intact (210 bytes).\n" });
    damage(project.path("exp/job/split.2/records.jsonl"));
    const { status, stdout } = await project.run("verify", "exp/job");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^split\.2: .*split\.2\/records\.jsonl has changed since it was committed: its CRC-32 was \w+ and is \w+\n.*Delete .*split\.2\/done/,
    );
    const json = JSON.parse((await project.run("verify", "exp/job", "--json")).stdout) as object;
    expect(json).toMatchObject({ shards: 4, total: 4, damaged: [{ shard: 2 }] });
    rmSync(project.path("exp/job/split.2/done"));
    expect((await project.run("run", "job.yaml")).status).toBe(0);
    expect((await project.run("verify", "exp/job")).status).toBe(0);
  });
});

describe.concurrent("millrace verify of merged files", () => {
  it("finds bytes that were added, changed or lost, and says how the file is made again", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "+runner.merge_files=true");
    const sound = await project.run("verify", "exp/job");
    expect(sound).toMatchObject({
      status: 0,
      stdout: "All files of 4 shards and 1 merged file are intact (420 bytes).\n",
    });
    const merged = project.path("exp/job/records.jsonl");
    const bytes = readFileSync(merged);
    writeFileSync(merged, Buffer.concat([bytes, Buffer.from("x\n")]));
    const { status, stdout } = await project.run("verify", "exp/job");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^records\.jsonl: .*job\/records\.jsonl has 212 bytes; it was merged with 210\n.*merge exp\/job --files/,
    );
    writeFileSync(merged, bytes);
    damage(merged);
    const json = JSON.parse((await project.run("verify", "exp/job", "--json")).stdout) as object;
    expect(json).toMatchObject({
      merged: 1,
      damaged: [{ merged: "records.jsonl", reason: expect.stringContaining("has changed since it was merged") }],
    });
    rmSync(merged);
    expect((await project.run("verify", "exp/job")).stdout).toContain("records.jsonl is not there");
    expect((await project.run("merge", "exp/job", "--files")).status).toBe(0);
    expect(readFileSync(merged)).toEqual(bytes);
    expect((await project.run("verify", "exp/job")).status).toBe(0);
  });
});

describe.concurrent("millrace logs", () => {
  it("shows what each worker wrote, or the one that made a shard", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "says=true", "parallel.env=process", "parallel.n_workers=2");
    const all = (await project.run("logs", "exp/job")).stdout;
    for (let i = 0; i < 20; i++) expect(all).toContain(`at item ${i}\n`);
    const { worker } = JSON.parse(project.text("exp/job/split.3/done")) as { worker: string };
    const own = (await project.run("logs", "exp/job", "--shard", "3")).stdout;
    expect(own).toMatch(new RegExp(`^--- ${worker}\n`));
    expect(own).toContain("at item 17\n");
    expect((await project.run("logs", "exp/job", "--worker", worker)).stdout).toBe(own);
    expect((await project.run("logs", "exp/job", "--worker", "unknown")).stderr).toContain(worker);
    expect((await project.run("logs", "exp/job", "--driver")).stderr).toContain("was not started in the background");
  });

  it("names a log that is a link or a second name of another file, and does not show it", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "says=true", "parallel.env=process");
    writeFileSync(project.path("secret"), "secret\n");
    linkSync(project.path("secret"), project.path("exp/job/.millrace/logs/second.log"));
    symlinkSync(project.path("secret"), project.path("exp/job/.millrace/logs/link.log"));
    const { stdout, stderr } = await project.run("logs", "exp/job");
    expect(stdout).toContain("at item 19\n");
    expect(stdout + stderr).not.toContain("secret");
    expect(stderr).toMatch(/second\.log is a second name of another file/);
    expect(stderr).toMatch(/link\.log is a symbolic link/);
  });

  it("follows them while a worker runs", async () => {
    const project = makeProject();
    const words = ["says=true", "held=[7]", "held_until=go", "parallel.env=process"];
    const run = project.start(["run", "job.yaml", ...words]);
    await run.seen(/at item 7/);
    const follow = project.start(["logs", "exp/job", "--follow"]);
    await follow.seen(/at item 7/);
    project.touch("go");
    const { status, stdout } = await follow.ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("at item 19") });
    expect(stdout.match(/at item 7\n/g)).toHaveLength(1);
  });

  it("says that no worker wrote anything, and which shard was not made", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8]", "runner.on_error=fail");
    expect((await project.run("logs", "exp/job")).stderr).toContain(
      "there are no logs: no worker has written anything",
    );
    expect(await project.run("logs", "exp/job", "--shard", "3")).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("split.3 is not committed"),
    });
    expect(await project.run("logs", "exp/job", "--shard", "4")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--shard is 4; the shards of this run are 0 to 3"),
    });
    writeFileSync(project.path("exp/job/split.0/records.jsonl"), "");
    expect(await project.run("logs", "exp/job", "--shard", "0")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/split\.0 is damaged: .*has 0 bytes/),
    });
  });
});

describe.concurrent("millrace worker", () => {
  it("joins a run from any folder and works on it until all is committed", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8]", "fails_until=fixed", "runner.on_error=fail");
    project.touch("fixed");
    const joined = await projectIn(emptyFolder()).run("worker", project.path("exp/job"));
    expect(joined).toMatchObject({ status: 0, stderr: expect.stringContaining("all shards are committed") });
    expect((await project.run("status", "exp/job")).stdout).toMatch(/exp\/job: stopped\n.*20 of 20/);
    expect((await project.run("merge", "exp/job")).status).toBe(0);
    expect((await project.run("status", "exp/job")).stdout).toContain("exp/job: complete");
  });

  it("that fails alone leaves its error as that of the run", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8,14]", "fails_until=fixed", "runner.on_error=fail");
    expect(await project.run("worker", "exp/job")).toMatchObject({ status: 1 });
    const { stdout, status } = await project.run("status", "exp/job", "--json");
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 1, state: "failed", failure: { item: 8 } });
  });

  it("saves and leaves at Ctrl-C with 130", async () => {
    const project = makeProject();
    const words = [
      "items=2000",
      "fails=[0]",
      "fails_until=fixed",
      "runner.on_error=fail",
      "slow_until=go",
      "says=true",
    ];
    await project.run("run", "job.yaml", ...words);
    project.touch("fixed");
    const worker = project.start(["worker", "exp/job"]);
    await worker.seen(/at item 3/);
    worker.child.kill("SIGINT");
    expect(await worker.ended).toMatchObject({
      status: 130,
      stderr: expect.stringContaining("left; other workers may continue"),
    });
    expect(project.names("exp/job/.millrace/leases")).toEqual([]);
  });
});

describe.concurrent("millrace gc", () => {
  it("removes what dead workers left, but neither checkpoints that are needed nor outputs", async () => {
    const project = makeProject();
    const words = ["run", "job.yaml", "held=[7]", "held_until=go", "says=true"];
    const killed = project.start(words);
    await killed.seen(/at item 7/);
    expect((await project.run("gc", "exp/job", "--logs")).stderr).toContain("its logs are kept");
    expect(project.names("exp/job/.millrace/workers")).toHaveLength(1);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect((await project.run("gc", "exp/job")).stderr).toBe("millrace: removed 1 files and folders\n");
    expect(project.names("exp/job/.millrace/workers")).toEqual([]);
    expect(project.names("exp/job/.millrace/attempts")).toEqual(["1.1"]);
    const stopped = project.start(words);
    await stopped.seen(/at item 7/);
    stopped.child.kill("SIGINT");
    await stopped.seen(/stopping after the current items/);
    project.touch("go");
    await stopped.ended;
    await project.run("gc", "exp/job");
    expect((await project.run(...words)).stdout).toMatch(/^at item 8\n/);
  });

  it("removes the logs and the history on demand", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "says=true", "parallel.env=process");
    const outputs = readdirSync(project.path("exp/job/split.0"));
    expect(project.names("exp/job/.millrace/logs")).toHaveLength(1);
    expect((await project.run("gc", "exp/job", "--logs")).stderr).toBe("millrace: removed 1 files and folders\n");
    expect(project.names("exp/job/.millrace/logs")).toEqual([]);
    for (const words of [[], ["--driver"]])
      expect((await project.run("logs", "exp/job", ...words)).stderr).toContain("were removed (gc --logs)");
    const files = project.names("exp/job/.millrace/history").length;
    expect(files).toBeGreaterThan(0);
    expect((await project.run("gc", "exp/job", "--history")).stderr).toBe(
      `millrace: removed ${files} files and folders\n`,
    );
    expect(project.names("exp/job/.millrace/history")).toEqual([]);
    expect(readdirSync(project.path("exp/job/split.0"))).toEqual(outputs);
  });
});

describe.concurrent("millrace list", () => {
  it("finds runs below a folder, also those in others and those that cannot be read", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[3]");
    await project.run("run", "job.yaml", "--limit", "2");
    for (const name of ["broken/.millrace", "node_modules/hidden/.millrace"])
      mkdirSync(join(project.path("exp"), name), { recursive: true });
    writeFileSync(project.path("exp/broken/manifest.json"), "{");
    const { status, stdout } = await project.run("list", "exp");
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^unreadable {14}exp\/broken: .* is damaged: it is not JSON/),
      "complete with failures  exp/job  20 of 20 items, 1 failed",
      "complete                exp/job/limit-2  2 of 2 items",
    ]);
    const lines = (await project.run("list", "--json")).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { runDir: "exp/broken", error: expect.any(String) },
      { runDir: "exp/job", state: "complete with failures", items: { failed: 1 } },
      { runDir: "exp/job/limit-2" },
    ]);
  });

  it("says where there are none", async () => {
    const project = makeProject();
    expect(await project.run("list")).toEqual({
      status: 0,
      stdout: "",
      stderr: "millrace: there are no runs below .\n",
    });
  });
});
