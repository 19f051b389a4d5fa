import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import type { SlurmCluster } from "../support/clusters/slurm-cluster.ts";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { because } from "../support/clusters/why-not.ts";
import { compareWithGuide } from "../support/guide/compare-with-guide.ts";
import {
  fakeProgram,
  killProcess,
  liveJobs,
  noJobLeft,
  type SlurmRun,
  slurmRun,
  succeeded,
} from "../support/slurm-run.ts";

// Mostly they wait for Slurm; on a busy machine they wait longer.
const atOnce = { concurrent: true, timeout: 300_000 };
const reason = whyNotSlurm();

let cluster: SlurmCluster;
beforeAll(async () => {
  if (reason !== undefined) return;
  // Tasks go to the node that has the least to do.
  const settings = { SelectTypeParameters: "CR_Core_Memory,CR_LLN" };
  // As many processors as all tests use at once, with memory in proportion; a partition as the guide's example names it.
  const lines = ["PartitionName=cpu Nodes=ALL State=UP"];
  cluster = await startSlurm({ cpusPerNode: 192, gpusPerNode: 2, settings, lines });
});
afterAll(() => cluster?.stop());

// Minutes, until its items may go: however busy the machine is, it is not over before.
const long = { items: 3000, shards: 120, config: { itemMs: 50 } };
const nodesOf = (run: SlurmRun) => [...new Set(run.calls().map(({ node }) => node))].sort();
const someDone = (run: SlurmRun) =>
  waitUntil(() => run.isCommitted() >= 2, { what: "some shards", details: () => run.logs() });

/** No worker runs, and no lease is held. */
async function expectNobodyLeft(run: SlurmRun, expect: (value: unknown) => { toEqual(value: unknown): void }) {
  await noJobLeft(cluster, run);
  await waitUntil(() => run.workers().length + run.jobProcesses().length === 0, { what: "the processes to end" });
  expect(run.machinery("leases")).toEqual([]);
  expect(run.machinery("workers")).toEqual([]);
}

describe.skipIf(reason !== undefined)(`a run on Slurm${because(reason)}`, atOnce, () => {
  it("is shared by two nodes, with several workers in each job", async (context) => {
    const run = slurmRun(context, cluster, { ...long, workers: 4, jobs: { processes: 2 } });
    const driver = run.drive();
    await waitUntil(() => run.envs().length === 4, { what: "four workers", details: run.logs });
    run.go();
    const { stdout, stderr } = await succeeded(context, driver, run);
    context.expect({ stdout, stderr }).toEqual({ stdout: "3000\n", stderr: "" });
    context.expect(nodesOf(run)).toEqual(["n1", "n2"]);
    context.expect(run.envs()).toHaveLength(4);
    context.expect(run.submissions()).toMatchObject([{ tasks: 2 }]);
    await expectNobodyLeft(run, context.expect);
    await run.expectAsLocal();
  });

  it("continues when its driver is killed; the next driver counts its jobs and starts no more than are missing", async (context) => {
    const run = slurmRun(context, cluster, { ...long, leaseTtl: 2000 });
    const first = run.drive({ workers: 2 });
    await someDone(run);
    first.kill("SIGKILL");
    await first.ended;
    const before = run.calls().length;
    await run.begun(before + 5);
    const second = run.drive({ workers: 3 });
    await waitUntil(() => run.envs().length === 3, { what: "the third job", details: second.stderr });
    run.go();
    await succeeded(context, second, run);
    context
      .expect(
        run
          .submissions()
          .map(({ tasks }) => tasks)
          .sort(),
      )
      .toEqual([1, 2]);
    context.expect(run.envs()).toHaveLength(3);
    await run.expectAsLocal();
  });

  it("is merged by its last job when its driver was killed", async (context) => {
    const run = slurmRun(context, cluster, { ...long, leaseTtl: 1500 });
    const driver = run.drive();
    await run.begun(5);
    driver.kill("SIGKILL");
    await driver.ended;
    run.go();
    await waitUntil(() => existsSync(join(run.dir, "records.jsonl")), { what: "the merge", details: run.logs });
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("is begun with env: process and continued on Slurm, and the other way round", async (context) => {
    const run = slurmRun(context, cluster, { ...long, leaseTtl: 1500 });
    const here = run.drive({ env: "process", workers: 2 });
    await someDone(run);
    here.kill("SIGINT");
    context.expect((await here.ended).status).toBe(130);
    const there = run.drive({ workers: 3 });
    await waitUntil(() => nodesOf(run).includes("n1"), { what: "jobs", details: run.logs });
    const committed = run.isCommitted();
    await waitUntil(() => run.isCommitted() > committed, { what: "a shard of a job", details: run.logs });
    there.kill("SIGKILL");
    await there.ended;
    // Its jobs and these workers help each other.
    const again = run.drive({ env: "process", workers: 1 });
    run.go();
    await succeeded(context, again, run);
    await run.expectAsLocal();
  });

  it("stops at an item that fails, says which, and leaves no job behind", async (context) => {
    const run = slurmRun(context, cluster, { workers: 3, config: { failAt: [23] } });
    const { status, stderr } = await run.drive().ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toContain("QueueRunner.forward failed at item 23: cannot do 23");
    await expectNobodyLeft(run, context.expect);
    run.fix();
    await succeeded(context, run.drive(), run);
    await run.expectAsLocal();
  });

  it("retries failed items", async (context) => {
    const run = slurmRun(context, cluster, { workers: 3, onError: "skip", config: { failAt: [3, 23, 24] } });
    context.expect((await succeeded(context, run.drive(), run)).stdout).toBe("57\n");
    run.fix();
    context.expect((await succeeded(context, run.drive({ isRetry: true }), run)).stdout).toBe("60\n");
    await expectNobodyLeft(run, context.expect);
    context.expect(run.submissions().every(({ isClosed }) => isClosed)).toBe(true);
    await run.expectAsLocal();
  });

  it("is carried out by two drivers together", async (context) => {
    const run = slurmRun(context, cluster, long);
    const first = run.drive({ workers: 2 });
    await run.begun(1);
    const second = run.drive({ workers: 4 });
    await waitUntil(() => run.envs().length === 4, { what: "the jobs of both", details: second.stderr });
    run.go();
    for (const driver of [first, second]) context.expect((await succeeded(context, driver, run)).stdout).toBe("3000\n");
    context.expect(run.submissions().reduce((sum, { tasks }) => sum + tasks, 0)).toBe(4);
    await expectNobodyLeft(run, context.expect);
    await run.expectAsLocal();
  });

  it("ends when its jobs are cancelled by hand", async (context) => {
    const run = slurmRun(context, cluster, { ...long, workers: 2 });
    const driver = run.drive();
    await run.begun(5);
    await cluster.ask("scancel", run.submissions()[0]!.id!);
    const { status, stderr } = await driver.ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toMatch(/All jobs of the run in .* have ended or were cancelled, with \d+ shards to do/);
    await expectNobodyLeft(run, context.expect);
    run.go();
    await succeeded(context, run.drive(), run);
    await run.expectAsLocal();
  });

  it("says the provider's error when no worker can start", async (context) => {
    const run = slurmRun(context, cluster, { workers: 2, config: { isBroken: true } });
    const { status, stderr } = await run.drive().ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toContain("the model is not there");
    await expectNobodyLeft(run, context.expect);
  });

  it("sees one device in each worker, and shares devices among more", async (context) => {
    const devicesWith = async (processes: number) => {
      const jobs = { processes, job_extra_directives: ["--gres=gpu:2"] };
      const run = slurmRun(context, cluster, { ...long, workers: processes, jobs });
      const driver = run.drive();
      await waitUntil(() => run.envs().length === processes, { what: "the workers", details: run.logs });
      run.go();
      await succeeded(context, driver, run);
      await run.expectAsLocal();
      return run
        .envs()
        .map(({ devices }) => devices)
        .sort();
    };
    context.expect(await devicesWith(2)).toEqual(["0", "1"]);
    context.expect(await devicesWith(4)).toEqual(["0", "0", "1", "1"]);
  });

  it("ends with the folder that the guide ends with", async (context) => {
    await compareWithGuide(context, { env: "slurm", workers: 1, items: 6, shards: 3 }, cluster.environment);
  });

  it("ends with the folder that the guide ends with, where a worker is killed", async (context) => {
    const settings = { env: "slurm", workers: 1, items: 6, shards: 2, killWorker: "forward" } as const;
    await compareWithGuide(context, settings, cluster.environment);
  });

  it("reaches its workers unchanged, whatever its folders are called", async (context) => {
    const odd = `a b'c"d $(touch pwned) \`touch pwned\` %j %a\n\\ Straße 語`;
    const run = slurmRun(context, cluster, { name: odd });
    const logs = join(run.folder, `logs $(touch pwned) 'x' "y" %j 語`);
    await succeeded(context, run.drive({ jobs: { log_directory: logs } }), run);
    await run.expectAsLocal();
    context.expect(readdirSync(logs).every((name) => /^job-[\w-]+\.\d+\.log$/.test(name))).toBe(true);
    await succeeded(context, run.drive({ resume: false }), run);
    await run.expectAsLocal();
    context.expect(readdirSync(run.folder).sort()).toEqual(context.expect.arrayContaining(["calls", "envs"]));
    for (const place of [run.folder, run.dir, logs, process.cwd()])
      context.expect(readdirSync(place)).not.toContain("pwned");
  });

  it("says what Slurm refuses, in its words", async (context) => {
    const run = slurmRun(context, cluster, { jobs: { queue: "nowhere" } });
    const { status, stderr } = await run.drive().ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toMatch(/Slurm did not take the jobs: .*Invalid partition name specified/s);
    context.expect(stderr).toContain("Correct parallel.options");
    context.expect(run.calls()).toEqual([]);
  });

  it("finds a submission again whose answer was lost, and does not repeat it", async (context) => {
    const run = slurmRun(context, cluster, { workers: 2, jobs: { submit_timeout: 2 } });
    const real = (cluster.environment["PATH"] ?? "").split(":");
    const sbatch = real.map((folder) => join(folder, "sbatch")).find((file) => existsSync(file));
    const text = `#!/bin/sh\n${sbatch} "$@" >/dev/null\nexec sleep 1000\n`;
    const driver = run.drive({}, fakeProgram(run.folder, "sbatch", text, cluster.environment));
    await succeeded(context, driver, run);
    context.expect(run.submissions()).toMatchObject([{ id: context.expect.stringMatching(/^\d+$/), tasks: 2 }]);
    await run.expectAsLocal();
  });
});

describe.skipIf(reason !== undefined)(`a job on Slurm${because(reason)}`, atOnce, () => {
  it("replaces a worker that is killed", async (context) => {
    const run = slurmRun(context, cluster, { ...long, workers: 1 });
    const driver = run.drive();
    await run.begun(5);
    killProcess(run.workers()[0]!);
    await waitUntil(() => run.envs().length === 2, { what: "another worker", details: run.logs });
    run.go();
    const { stderr } = await succeeded(context, driver, run);
    context.expect(stderr).toBe("");
    context.expect(run.submissions()).toHaveLength(1);
    context.expect(run.logs()).toContain("another one replaces it");
    await run.expectAsLocal();
  });

  it("is replaced when it is killed, within a budget", async (context) => {
    const run = slurmRun(context, cluster, { ...long, workers: 1, leaseTtl: 2000, jobs: { resubmits: 1 } });
    const driver = run.drive();
    for (const time of [1, 2]) {
      await waitUntil(() => run.envs().length === time, { what: `job ${time}`, details: driver.stderr });
      await run.begun(run.calls().length + 3);
      killProcess(run.jobProcesses()[0]!);
    }
    const { status, stderr } = await driver.ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toMatch(/a job on n\d was lost: Slurm says FAILED/);
    context.expect(stderr).toContain("submitted 1 job to replace those that ended");
    context.expect(stderr).toContain("More than 1 jobs were lost");
    run.go();
    await succeeded(context, run.drive(), run);
    await run.expectAsLocal();
  });
});

describe.skipIf(reason !== undefined)(`a run on Slurm that is left alone${because(reason)}`, atOnce, () => {
  it("is described at once, watched from elsewhere and merged by its last job", async (context) => {
    const run = slurmRun(context, cluster, {
      workers: 4,
      jobs: { processes: 2 },
      config: { holdAt: [7, 50], itemMs: 5 },
    });
    const [asyncSpecsDir, asyncResultDir] = [join(run.folder, "specs"), join(run.folder, "results")];
    const left = run.drive({ asyncMode: true, asyncSpecsDir, asyncResultDir });
    const { jobs, specs } = JSON.parse((await succeeded(context, left, run)).stdout) as {
      jobs: { env: string; id: string; tasks: number; workers: number }[];
      specs: string[];
    };
    context
      .expect(jobs)
      .toMatchObject([{ env: "slurm", tasks: 2, workers: 4, id: context.expect.stringMatching(/^\d+$/) }]);
    context
      .expect(specs.map((file) => JSON.parse(readFileSync(file, "utf8"))))
      .toMatchObject([0, 1].map((task) => ({ env: "slurm", id: jobs[0]!.id, task, workers: 2, runDir: run.dir })));
    await waitUntil(() => run.calls().some(({ idx }) => idx === 7), { what: "item 7", details: run.logs });
    const status = await succeeded(context, run.cli("status", run.dir), run);
    context.expect(status.stdout).toMatch(/: running\n.*slurm jobs: 0 pending, 2 running/s);
    const attached = run.cli("attach", run.dir);
    run.go();
    context.expect((await succeeded(context, attached, run)).stdout).toContain(": complete");
    await run.expectAsLocal();
    const results = readdirSync(asyncResultDir).sort();
    context.expect(results).toEqual([...Array(12).keys()].map((id) => `split.${id}.jsonl`).sort());
    for (const name of results)
      context
        .expect(readFileSync(join(asyncResultDir, name), "utf8"))
        .toBe(readFileSync(join(run.dir, name.replace(/\.jsonl$/, ""), "records.jsonl"), "utf8"));
    await expectNobodyLeft(run, context.expect);
  });

  it("is started by millrace run --detach, queued until it begins, and cancelled by millrace cancel", async (context) => {
    const run = slurmRun(context, cluster, {
      ...long,
      workers: 3,
      jobs: { job_extra_directives: ["--hold"] },
    });
    const config = run.writeConfig();
    const planned = await succeeded(context, run.cli("plan", config), run);
    context.expect(planned.stdout).toContain("#SBATCH --array=0-2\n");
    context.expect(existsSync(run.dir)).toBe(false);
    const { stdout, stderr } = await succeeded(context, run.cli("run", config, "--detach"), run);
    context.expect(stdout).toBe(`${run.dir}\n`);
    context.expect(stderr).toMatch(/slurm job \d+: 3 tasks, 3 workers/);
    context
      .expect((await run.cli("status", run.dir).ended).stdout)
      .toMatch(/: queued\n.*3 pending \(PENDING \(JobHeldUser\)\), 0 running/s);
    await cluster.ask("scontrol", "release", run.submissions()[0]!.id!);
    await someDone(run);
    // Again, and no more jobs come of it.
    await succeeded(context, run.cli("run", config, "--detach"), run);
    context.expect(run.submissions()).toHaveLength(1);
    const attached = run.cli("attach", run.dir);
    const cancelled = await succeeded(context, run.cli("cancel", run.dir), run);
    context.expect(cancelled.stderr).toMatch(/is stopped at \d+ of 3,000 items/);
    await expectNobodyLeft(run, context.expect);
    context.expect((await attached.ended).status).toBe(3);
    run.go();
    await succeeded(context, run.cli("run", config, "parallel.options.job_extra_directives=[]"), run);
    await run.expectAsLocal();
  });

  it("is cancelled before it has begun", async (context) => {
    const run = slurmRun(context, cluster, { jobs: { job_extra_directives: ["--begin=now+1hour"] } });
    await succeeded(context, run.drive({ asyncMode: true }), run);
    const cancelled = await succeeded(context, run.cli("cancel", run.dir), run);
    context.expect(cancelled.stderr).toContain("is stopped at 0 of 60 items");
    context
      .expect(
        await liveJobs(
          cluster,
          run.submissions().map(({ id }) => id!),
        ),
      )
      .toEqual([]);
    await succeeded(context, run.drive({ jobs: { job_extra_directives: [] } }), run);
    await run.expectAsLocal();
  });

  it("continues after Ctrl-C, and its last job merges", async (context) => {
    const run = slurmRun(context, cluster, long);
    const driver = run.drive();
    await run.begun(3);
    driver.kill("SIGINT");
    const { status, stderr } = await driver.ended;
    context.expect(status).toBe(130);
    context.expect(stderr).toContain("detached; the jobs continue");
    run.go();
    context.expect((await succeeded(context, run.cli("attach", run.dir), run)).stdout).toContain(": complete");
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("is merged by its driver when it completes while that one leaves", async (context) => {
    const run = slurmRun(context, cluster, long);
    const driver = run.drive();
    await run.begun(3);
    driver.kill("SIGINT");
    run.go();
    await driver.ended;
    await waitUntil(() => existsSync(join(run.dir, "records.jsonl")), { what: "the merge", details: run.logs });
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("is cancelled by Ctrl-C twice", async (context) => {
    const run = slurmRun(context, cluster, long);
    const driver = run.drive();
    await someDone(run);
    // From another process: the tests beside this one may keep this process busy for longer than the choice lasts.
    const twice = "kill -INT $0; sleep 1; kill -INT $0; sleep 1; kill -INT $0";
    spawn("sh", ["-c", twice, `${driver.pid}`], { stdio: "ignore" });
    const { status, stderr } = await driver.ended;
    context.expect(stderr).toContain("Ctrl-C again");
    context.expect(status).toBe(130);
    context.expect(stderr).toContain("cancelling the jobs");
    await expectNobodyLeft(run, context.expect);
    run.go();
    await succeeded(context, run.drive(), run);
    await run.expectAsLocal();
  });
});
