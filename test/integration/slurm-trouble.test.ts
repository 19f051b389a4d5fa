import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it, type TestContext } from "vitest";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import type { SlurmCluster } from "../support/clusters/slurm-cluster.ts";
import { startPartitionedSlurm, whyNotPartitionedSlurm } from "../support/clusters/slurm-netns.ts";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { because, findProgram } from "../support/clusters/why-not.ts";
import {
  fakeProgram,
  killProcess,
  nodeOf,
  noJobLeft,
  type SlurmRun,
  slurmRun,
  succeeded,
} from "../support/slurm-run.ts";

// Mostly they wait for Slurm; on a busy machine they wait longer.
const atOnce = { concurrent: true, timeout: 300_000 };
// Minutes, until its items may go: however busy the machine is, it is not over before.
const long = { items: 3000, shards: 120, config: { itemMs: 50 } };
// Tasks go to the node that has the least to do.
const spread = { settings: { SelectTypeParameters: "CR_Core_Memory,CR_LLN" } };

/** Starts a cluster that is stopped when the test ends. */
async function during<T extends { stop(): Promise<void> }>(context: TestContext, starting: Promise<T>): Promise<T> {
  const cluster = await starting;
  context.onTestFinished(() => cluster.stop());
  return cluster;
}

const worksOn = (run: SlurmRun, node: string) =>
  waitUntil(() => run.calls().some((call) => call.node === node), { what: `work on ${node}`, details: run.logs });

const reason = whyNotSlurm();
describe.skipIf(reason !== undefined)(`a run on a Slurm in trouble${because(reason)}`, atOnce, () => {
  it("continues when a node is lost, which Slurm does not notice", async (context) => {
    const settings = { ...spread.settings, SlurmdTimeout: 3000 };
    const cluster = await during(context, startSlurm({ settings }));
    const run = slurmRun(context, cluster, { ...long, workers: 2, leaseTtl: 1500 });
    const driver = run.drive();
    for (const node of ["n1", "n2"]) await worksOn(run, node);
    await cluster.stopNode("n2");
    run.go();
    await succeeded(context, driver, run);
    await run.expectAsLocal();
  });

  it("continues without its controller, and says so once", async (context) => {
    const cluster = await during(context, startSlurm());
    const run = slurmRun(context, cluster, { ...long, workers: 2 });
    const driver = run.drive();
    await waitUntil(() => run.envs().length === 2, { what: "both jobs", details: run.logs });
    await cluster.killController();
    await waitUntil(() => driver.stderr().includes("does not answer"), { what: "the notice", details: driver.stderr });
    const before = run.calls().length;
    await run.begun(before + 20);
    await cluster.startController();
    await sleep(2000);
    run.go();
    const { stderr } = await succeeded(context, driver, run);
    context.expect(stderr.match(/Slurm does not answer/g)).toHaveLength(1);
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("is complete although Slurm does not answer, and not even refuses", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const run = slurmRun(context, cluster, { ...long, workers: 2 });
    const hung = join(run.folder, "hung");
    const text = `#!/bin/sh\n[ ! -e ${hung} ] || exec sleep 1000\nexec ${findProgram("squeue")} "$@"\n`;
    const driver = run.drive({}, fakeProgram(run.folder, "squeue", text, cluster.environment));
    await waitUntil(() => run.envs().length === 2, { what: "both jobs", details: run.logs });
    writeFileSync(hung, "");
    await sleep(2000);
    run.go();
    await succeeded(context, driver, run);
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("is continued by a task that is requeued", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const run = slurmRun(context, cluster, { ...long, workers: 1 });
    const driver = run.drive();
    await run.begun(10);
    await cluster.ask("scontrol", "requeue", `${run.submissions()[0]!.id}_0`);
    await waitUntil(() => run.envs().length === 2, { what: "the task again", details: run.logs });
    run.go();
    await succeeded(context, driver, run);
    context.expect(driver.stderr()).toBe("");
    context.expect(run.submissions()).toHaveLength(1);
    await run.expectAsLocal();
  });

  it("is continued by tasks that were preempted, without a driver", async (context) => {
    const preemption = { PreemptType: "preempt/partition_prio", PreemptMode: "REQUEUE" };
    const partitions = ["low Default=NO PriorityTier=1 GraceTime=15", "high Default=NO PriorityTier=10"];
    const lines = partitions.map((one) => `PartitionName=${one} Nodes=ALL DefaultTime=60 MaxTime=INFINITE State=UP`);
    const cluster = await during(context, startSlurm({ nodes: 1, cpusPerNode: 2, settings: preemption, lines }));
    const run = slurmRun(context, cluster, { ...long, workers: 2, jobs: { queue: "low" } });
    await succeeded(context, run.drive({ asyncMode: true }), run);
    await run.begun(10);
    const ask = ["--parsable", "--partition=high", "--ntasks=2", "--output=/dev/null", "--wrap=sleep 1000"];
    const other = (await cluster.ask("sbatch", ...ask)).trim();
    const stateOf = async (id: string) => (await cluster.jobs()).find((job) => job.id === id)?.state;
    await waitUntil(async () => (await stateOf(other)) === "RUNNING", {
      what: "the job that comes first",
      details: run.logs,
    });
    context.expect(run.workers()).toEqual([]);
    // What they had begun was saved and released.
    context.expect(run.machinery("leases")).toEqual([]);
    await cluster.ask("scancel", other);
    await waitUntil(() => run.envs().length === 4, { what: "the tasks again", details: run.logs });
    run.go();
    context.expect((await succeeded(context, run.cli("attach", run.dir), run)).stdout).toContain(": complete");
    context.expect(run.submissions()).toHaveLength(1);
    context.expect(new Set(run.calls().map(({ idx }) => idx)).size).toBe(run.calls().length);
    await run.expectAsLocal();
  });

  it("is submitted in several arrays where one may not be so long", async (context) => {
    const cluster = await during(context, startSlurm({ cpusPerNode: 8, settings: { MaxArraySize: 3 } }));
    const run = slurmRun(context, cluster, { ...long, workers: 8 });
    const driver = run.drive();
    await waitUntil(() => run.envs().length === 8, { what: "eight jobs", details: driver.stderr });
    run.go();
    await succeeded(context, driver, run);
    context
      .expect(
        run
          .submissions()
          .map(({ tasks }) => tasks)
          .sort(),
      )
      .toEqual([2, 3, 3]);
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  it("leaves a node out on which jobs die at once, and says so", async (context) => {
    const cluster = await during(context, startSlurm(spread));
    const job_script_prologue = ['[ "$SLURMD_NODENAME" != n2 ] || exit 1'];
    const run = slurmRun(context, cluster, { ...long, workers: 4, jobs: { job_script_prologue } });
    const driver = run.drive();
    await waitUntil(() => run.envs().length === 4, { what: "four jobs on n1", details: driver.stderr });
    run.go();
    const { stderr } = await succeeded(context, driver, run);
    context.expect(stderr).toContain("2 jobs died early on n2: no more jobs are submitted to it");
    context.expect(new Set(run.envs().map(({ node }) => node))).toEqual(new Set(["n1"]));
    await run.expectAsLocal();
  });

  it("sends a node that is left out nothing of what waits, whatever nodes the user leaves out besides", async (context) => {
    const cluster = await during(context, startSlurm({ ...spread, nodes: 3, cpusPerNode: 2 }));
    const job_script_prologue = ['[ "$SLURMD_NODENAME" != n2 ] || exit 1'];
    const job_extra_directives = ["--exclude=n3"];
    const jobs = { job_script_prologue, job_extra_directives, resubmits: 30 };
    const run = slurmRun(context, cluster, { ...long, workers: 40, jobs });
    const driver = run.drive();
    await waitUntil(() => driver.stderr().includes("jobs that wait, for others"), {
      what: "the withdrawal",
      details: driver.stderr,
    });
    const deaths = () => cluster.jobs().then((all) => all.filter(({ state }) => state === "FAILED").length);
    const before = await deaths();
    await waitUntil(() => run.envs().length === 2, { what: "two jobs on n1", details: driver.stderr });
    const pendingTasks = async () => (await cluster.jobs()).filter(({ state }) => state === "PENDING").length;
    await waitUntil(async () => (await pendingTasks()) > 0, { what: "jobs that wait", details: driver.stderr });
    await sleep(3000);
    context.expect(await deaths()).toBe(before);
    context.expect(before).toBeLessThan(20);
    context
      .expect((await cluster.ask("scontrol", "show", "job")).match(/ExcNodeList=\S+/g))
      .toContain("ExcNodeList=n[2-3]");
    run.go();
    const { stderr } = await succeeded(context, driver, run);
    context.expect(stderr).toContain("for others that are not sent to n2");
    context.expect(new Set(run.envs().map(({ node }) => node))).toEqual(new Set(["n1"]));
    await noJobLeft(cluster, run);
    await run.expectAsLocal();
  });

  for (const workers of [1, 4])
    it(`is given up where jobs die on every node (workers: ${workers})`, async (context) => {
      const cluster = await during(context, startSlurm(spread));
      const run = slurmRun(context, cluster, { workers, jobs: { job_script_prologue: ["exit 3"] } });
      const { status, stderr } = await run.drive().ended;
      context.expect(status).toBe(1);
      context.expect(stderr).toMatch(/\d jobs in a row ended before a worker was ready: Slurm says FAILED/);
      await noJobLeft(cluster, run);
    });
});

describe.skipIf(reason !== undefined)(`the walltime of a job on Slurm${because(reason)}`, atOnce, () => {
  /** A fake of the program that says how long a job may still run; everything else is asked of the real one. */
  function fakeTimeLeft(run: SlurmRun, { environment }: SlurmCluster, left: string): NodeJS.ProcessEnv {
    writeFileSync(join(run.folder, "left"), left);
    const text = `#!/bin/sh\ncase "$*" in *--format=%L*) cat ${run.folder}/left ;; *) exec ${findProgram("squeue")} "$@" ;; esac\n`;
    return fakeProgram(run.folder, "squeue", text, environment);
  }
  const jobs = { walltime: "01:00:00", grace: 3 };

  it("has its workers leave in time; the driver submits another job", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const run = slurmRun(context, cluster, { ...long, workers: 1, jobs });
    const driver = run.drive({}, fakeTimeLeft(run, cluster, "0:06"));
    await run.begun(1);
    fakeTimeLeft(run, cluster, "59:00");
    await waitUntil(() => run.envs().length === 2, { what: "another job", details: driver.stderr });
    const before = run.calls().length;
    run.go();
    const { stderr } = await succeeded(context, driver, run);
    context.expect(stderr).toBe("millrace: submitted 1 job to replace those that ended\n");
    context.expect(run.submissions()).toHaveLength(2);
    context.expect(run.envs()).toHaveLength(2);
    context.expect(before).toBeGreaterThan(5);
    context.expect(new Set(run.calls().map(({ idx }) => idx)).size).toBe(run.calls().length);
    await run.expectAsLocal();
  });

  it("has a job without a driver queue itself again, and no other of its array", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const run = slurmRun(context, cluster, { ...long, workers: 2, jobs });
    await succeeded(context, run.drive({ asyncMode: true }, fakeTimeLeft(run, cluster, "0:06")), run);
    await waitUntil(() => run.envs().length === 2, { what: "the jobs", details: run.logs });
    fakeTimeLeft(run, cluster, "59:00");
    await waitUntil(() => run.envs().length === 4, { what: "the jobs again", details: run.logs });
    run.go();
    context.expect((await succeeded(context, run.cli("attach", run.dir), run)).stdout).toContain(": complete");
    context.expect(run.submissions()).toHaveLength(1);
    await run.expectAsLocal();
    await noJobLeft(cluster, run);
    context.expect(run.envs()).toHaveLength(4);
  });

  it("is Slurm's own where the real one is short", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const own = { walltime: "00:01:00", grace: 15 };
    const run = slurmRun(context, cluster, { ...long, workers: 1, jobs: own });
    const driver = run.drive();
    await waitUntil(() => run.envs().length === 2, { what: "another job", details: driver.stderr });
    run.go();
    await succeeded(context, driver, run);
    context.expect((await cluster.jobs()).map(({ state }) => state)).toEqual(["COMPLETED", "COMPLETED"]);
    await run.expectAsLocal();
  });

  it("is too short where no worker becomes ready in it: the run is given up", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const run = slurmRun(context, cluster, { workers: 1, jobs });
    const { status, stderr } = await run.drive({}, fakeTimeLeft(run, cluster, "0:01")).ended;
    context.expect(status).toBe(1);
    context.expect(stderr).toContain("its time was up before a worker was ready");
    await noJobLeft(cluster, run);
  });
});

const noPartition = whyNotPartitionedSlurm();
describe.skipIf(noPartition !== undefined)(`a node that is cut off${because(noPartition)}`, atOnce, () => {
  it("continues writing while its task runs again elsewhere, and damages nothing", async (context) => {
    const cluster = await during(context, startPartitionedSlurm(spread));
    const run = slurmRun(context, cluster, { ...long, workers: 2, leaseTtl: 1500 });
    const driver = run.drive();
    for (const node of ["n1", "n2"]) await worksOn(run, node);
    const [cutOff] = run.workers().filter((worker) => nodeOf(worker) === "n2");
    await cluster.partition("n2");
    // It sleeps until others have taken its shard over, and wakes up in the middle of it.
    killProcess(cutOff!, "SIGSTOP");
    await waitUntil(() => run.envs().length === 3, { what: "the task again on n1", details: driver.stderr });
    killProcess(cutOff!, "SIGCONT");
    const before = run.calls().filter(({ node }) => node === "n2").length;
    await waitUntil(() => run.calls().filter(({ node }) => node === "n2").length > before + 5, { what: "the twin" });
    await cluster.heal("n2");
    await waitUntil(() => run.workers().every((worker) => nodeOf(worker) !== "n2"), { what: "the end of the twin" });
    run.go();
    await succeeded(context, driver, run);
    await run.expectAsLocal();
  });
});
