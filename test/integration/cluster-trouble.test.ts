// Failures of jobs at schedulers of which there are fakes only; slurm-trouble has the same on the real one.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ParallelInput, type RunnerOptions, runStatus } from "millrace";
import { afterAll, describe, it, type TestContext } from "vitest";
import { endProcessesOf } from "../support/chaos.ts";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { removeFolder } from "../support/remove-folder.ts";

const script = fileURLToPath(new URL("../fixtures/children/cluster-run.mjs", import.meta.url));
const fakes = fileURLToPath(new URL("../fixtures/fakes/on-path/", import.meta.url));
const atOnce = { concurrent: true, timeout: 300_000 };

// Removed at the very end: a fake that is still answering makes its folder again.
const parent = mkdtempSync(join(tmpdir(), "millrace-test-"));
afterAll(() => removeFolder(parent));

interface Trouble {
  readonly env: NonNullable<ParallelInput["env"]>;
  readonly workers?: number;
  readonly itemMs?: number;
  /** Items wait until they may go. */
  readonly isHeld?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly jobs?: Readonly<Record<string, unknown>>;
  readonly runner?: RunnerOptions & { readonly asyncMode?: boolean };
  readonly act?: string;
}

/** A run on a fake cluster of its own. */
function clusterRun(context: TestContext, trouble: Trouble) {
  const { env, workers = 2, itemMs = 0, isHeld = false, settings = {}, jobs = {}, runner = {}, act } = trouble;
  const folder = mkdtempSync(join(parent, "run-"));
  const [cluster, outputDir, notes] = ["cluster", "run", "notes"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const place of [cluster, notes]) mkdirSync(place);
  context.onTestFinished(() => endProcessesOf(folder));
  const basics = env === "kube" ? { image: "node:20", volume_claim: "data", mount_path: folder } : {};
  const options = { poll_interval: 1, ...basics, ...jobs };
  const parallel = { env, n_workers: workers, options };
  const order = {
    count: 60,
    act,
    config: { notes, itemMs, isHeld },
    options: { outputDir, progress: false, shards: 20, leaseTtl: 3000, parallel, ...runner },
  };
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    env: {
      ...process.env,
      FAKE_CLUSTER: cluster,
      FAKE_REQUEUE_AFTER_S: "0",
      ...settings,
      PATH: `${join(fakes, env)}${delimiter}${process.env["PATH"]}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return {
    go: () => writeFileSync(join(notes, "go"), ""),
    stderr: () => stderr,
    ended: new Promise<number | null>((resolve) => child.once("close", resolve)),
    /** The workers that have built their env. */
    built: () =>
      read(join(notes, "built"))
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { pid: number; node?: string; devices?: string }),
    /** Every time a task was started. */
    starts: () =>
      readdirSync(join(cluster, "jobs")).flatMap((id) =>
        readdirSync(join(cluster, "jobs", id))
          .filter((name) => /^task-\d+\.json$/.test(name))
          .flatMap((name) => JSON.parse(read(join(cluster, "jobs", id, name))).runs as { node: string; pid: number }[]),
      ),
    isComplete: async () => (await runStatus(outputDir)).state === "complete",
  };
}

describe("a job on a cluster", atOnce, () => {
  for (const mask of ["-1", "NoDevFiles", ""])
    it(`works without devices where the mask hides them all: ${JSON.stringify(mask)}`, async (context) => {
      const jobs = { processes: 2, job_script_prologue: [`export CUDA_VISIBLE_DEVICES='${mask}'`] };
      const run = clusterRun(context, { env: "pbs", jobs });
      context.expect({ code: await run.ended, stderr: run.stderr() }).toEqual({ code: 0, stderr: "" });
      context.expect(new Set(run.built().map(({ devices }) => devices))).toEqual(new Set([mask]));
    });

  it("gives each worker one of the devices that Kubernetes has given it without a name", async (context) => {
    const run = clusterRun(context, { env: "kube", workers: 4, itemMs: 300, jobs: { processes: 4, gpus: 2 } });
    context.expect({ code: await run.ended, stderr: run.stderr() }).toEqual({ code: 0, stderr: "" });
    const devices = run.built().map((worker) => worker.devices);
    context.expect(devices.sort()).toEqual(["0", "0", "1", "1"]);
  });

  it("that Kubernetes evicts is run again without a driver", async (context) => {
    const run = clusterRun(context, {
      env: "kube",
      workers: 1,
      itemMs: 50,
      runner: { asyncMode: true },
      act: "submit",
    });
    context.expect({ code: await run.ended, stderr: run.stderr() }).toEqual({ code: 0, stderr: "" });
    await waitUntil(() => run.built().length === 1, { what: "a worker", details: run.stderr });
    process.kill(run.starts()[0]!.pid, "SIGTERM");
    await waitUntil(run.isComplete, { what: "the run to be complete", details: run.stderr });
    context.expect(run.starts()).toHaveLength(2);
    context.expect(run.built()).toHaveLength(2);
  });
});

describe("a node that is left out", atOnce, () => {
  const badNode = ['[ "$FAKE_NODE" != node2 ] || exit 1'];
  const own = {
    lsf: { job_extra_directives: ['-R "select[big]"'] },
    htcondor: { job_extra_directives: ["requirements = HasGpu"] },
    oar: { job_extra_directives: ["-p gpu='YES'"] },
  };
  for (const env of ["lsf", "htcondor", "oar"] as const)
    it(`gets nothing of what waits at ${env}, whatever else the user requires`, async (context) => {
      const workers = 20;
      const run = clusterRun(context, {
        env,
        workers,
        isHeld: true,
        settings: { FAKE_SLOTS: "4" },
        // The jobs that are submitted again are no losses.
        jobs: { job_script_prologue: badNode, ...own[env], resubmits: workers - 4 },
      });
      await waitUntil(() => run.stderr().includes("for others that are not sent to node2"), {
        what: "the withdrawal",
        details: run.stderr,
      });
      const onBadNode = () => run.starts().filter(({ node }) => node === "node2").length;
      const before = onBadNode();
      await waitUntil(() => run.stderr().includes("to replace those that ended"), {
        what: "the others",
        details: run.stderr,
      });
      run.go();
      context.expect({ code: await run.ended, stderr: run.stderr() }).toMatchObject({ code: 0 });
      context.expect(run.stderr()).toContain("2 jobs died early on node2: no more jobs are submitted to it");
      // One may have been on its way.
      context.expect(onBadNode()).toBeLessThanOrEqual(before + 1);
      context.expect(new Set(run.built().map(({ node }) => node))).toEqual(new Set(["node1"]));
    });

  it("may still get what waits at Kubernetes, and that is said", async (context) => {
    const run = clusterRun(context, {
      env: "kube",
      workers: 20,
      isHeld: true,
      settings: { FAKE_SLOTS: "4" },
      jobs: { job_script_prologue: badNode, backoff: 0 },
    });
    await waitUntil(() => /Kubernetes may still send .* to node2: it cannot cancel them/.test(run.stderr()), {
      what: "the notice",
      details: run.stderr,
    });
    run.go();
    context.expect({ code: await run.ended, stderr: run.stderr() }).toMatchObject({ code: 0 });
  });
});
