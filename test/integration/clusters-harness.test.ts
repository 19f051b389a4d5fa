import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, it, type TestContext } from "vitest";
import { startGridEngine, whyNotGridEngine } from "../support/clusters/sge.ts";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import type { SlurmCluster, SlurmJob } from "../support/clusters/slurm-cluster.ts";
import { startPartitionedSlurm, whyNotPartitionedSlurm } from "../support/clusters/slurm-netns.ts";
import { startSshd, whyNotSshd } from "../support/clusters/sshd.ts";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { because, isRoot } from "../support/clusters/why-not.ts";

// Mostly they wait for Slurm; on a busy machine they wait longer.
const atOnce = { concurrent: true, timeout: 300_000 };

/** Starts a cluster that is stopped when the test ends. */
async function during<T extends { stop(): Promise<void> }>(context: TestContext, starting: Promise<T>): Promise<T> {
  const cluster = await starting;
  context.onTestFinished(() => cluster.stop());
  return cluster;
}

/** Submits a script that is not requeued, and returns the number of its job. */
async function submit(cluster: SlurmCluster, script: string, ...options: string[]): Promise<string> {
  const args = ["--parsable", "--no-requeue", "--output=/dev/null", ...options, `--wrap=${script}`];
  return (await cluster.ask("sbatch", ...args)).trim();
}

async function jobComes(cluster: SlurmCluster, id: string, state: string): Promise<SlurmJob> {
  let jobs: SlurmJob[] = [];
  const question = async () => {
    jobs = await cluster.jobs();
    return jobs.find((job) => job.id === id && job.state === state);
  };
  return waitUntil(question, { what: `job ${id} to be ${state}`, details: () => JSON.stringify(jobs) });
}

const nodeComes = (cluster: SlurmCluster, name: string, state: string) =>
  waitUntil(async () => (await cluster.nodeState(name)) === state, { what: `${name} to be ${state}` });

/** A script that waits for ever, in a process that its command line identifies. */
const waitAs = (mark: string) => `sh -c 'sleep 1000; :' '${mark}'`;

/** A script that adds a byte to a file ten times a second, for ever. */
const beat = (file: string) => `while sleep 0.1; do printf . >> '${file}'; done`;

async function grows(file: string): Promise<void> {
  const size = () => (existsSync(file) ? statSync(file).size : 0);
  const before = size();
  await waitUntil(() => size() > before, { what: `${file} to grow` });
}

/** Processes of this machine whose command line holds a text. */
function processesWith(text: string): string[] {
  const lines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });
  // The guard of the folder goes last, with the folder.
  return lines.filter((line) => line.includes(text) && !line.startsWith("sh -c \nread"));
}

const noSlurm = whyNotSlurm();
describe.skipIf(noSlurm !== undefined)(`a Slurm of the tests${because(noSlurm)}`, atOnce, () => {
  it("runs the tasks of an array on all its nodes", async (context) => {
    const cluster = await during(context, startSlurm({ cpusPerNode: 2 }));
    const file = (task: number) => join(cluster.folder, `task-${task}`);
    const script = `echo $SLURMD_NODENAME $(hostname) > '${cluster.folder}'/task-$SLURM_ARRAY_TASK_ID; sleep 1; exit $SLURM_ARRAY_TASK_ID`;
    const id = await submit(cluster, script, "--array=0-3");

    await jobComes(cluster, `${id}_0`, "COMPLETED");
    for (const task of [1, 2, 3]) await jobComes(cluster, `${id}_${task}`, "FAILED");
    const nameOf = (node: string) => `${node} ${isRoot ? node : "localhost"}\n`;
    const places = [0, 1, 2, 3].map((task) => readFileSync(file(task), "utf8"));
    context.expect(new Set(places)).toEqual(new Set([nameOf("n1"), nameOf("n2")]));
  });

  it("has the settings that it was given", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1, gpusPerNode: 2, settings: { MaxArraySize: 4 } }));
    await context.expect(submit(cluster, "true", "--array=0-4")).rejects.toThrow("Invalid job array specification");
    const file = join(cluster.folder, "devices");
    const id = await submit(cluster, `echo $CUDA_VISIBLE_DEVICES > '${file}'`, "--gres=gpu:2");
    await jobComes(cluster, id, "COMPLETED");
    context.expect(readFileSync(file, "utf8")).toBe("0,1\n");
  });

  it("fails the jobs of a node that is set down", async (context) => {
    const cluster = await during(context, startSlurm());
    const id = await submit(cluster, "sleep 1000", "--nodelist=n2");
    await jobComes(cluster, id, "RUNNING");
    await cluster.setNodeDown("n2");
    const { reason } = await jobComes(cluster, id, "NODE_FAIL");
    context.expect(reason).toBe("NodeDown");
  });

  it("notices that a node was killed, and takes it back", async (context) => {
    const cluster = await during(context, startSlurm());
    const mark = join(cluster.folder, "job-of-n2");
    const id = await submit(cluster, waitAs(mark), "--nodelist=n2");
    await jobComes(cluster, id, "RUNNING");
    await waitUntil(() => processesWith(mark).length === 1, { what: "the process of the job" });

    await cluster.stopNode("n2");
    context.expect(processesWith(mark)).toEqual([]);
    // It takes Slurm some ten seconds.
    await jobComes(cluster, id, "NODE_FAIL");
    await nodeComes(cluster, "n1", "idle");

    await cluster.startNode("n2");
    await jobComes(cluster, await submit(cluster, "true", "--nodelist=n2"), "COMPLETED");
  });

  it("continues with its jobs while the controller is dead, and with new ones afterwards", async (context) => {
    const cluster = await during(context, startSlurm({ nodes: 1 }));
    const file = join(cluster.folder, "beats");
    await jobComes(cluster, await submit(cluster, beat(file)), "RUNNING");

    await cluster.killController();
    await context.expect(cluster.jobs()).rejects.toThrow("Unable to contact slurm controller");
    await grows(file);

    await cluster.startController();
    await jobComes(cluster, await submit(cluster, "true"), "COMPLETED");
  });

  it("says why it does not start", async (context) => {
    const settings = { SelectType: "select/by-moonlight" };
    await context.expect(startSlurm({ nodes: 1, settings })).rejects.toThrow(/the controller: .*by-moonlight/s);
  });

  it("leaves no process and no file when it is stopped", async (context) => {
    const cluster = await startSlurm({ nodes: 1 });
    const { folder } = cluster;
    await jobComes(cluster, await submit(cluster, waitAs(`${folder}/job`)), "RUNNING");
    context.expect(processesWith(folder).length).toBeGreaterThan(3);
    await cluster.stop();
    context.expect(processesWith(folder)).toEqual([]);
    context.expect(existsSync(folder)).toBe(false);
  });

  it("leaves no process and no file when its owner is killed", async (context) => {
    const script = fileURLToPath(new URL("../fixtures/children/start-slurm.mjs", import.meta.url));
    const owner = spawn(process.execPath, ["--import", "tsx", script], { stdio: ["ignore", "pipe", "inherit"] });
    context.onTestFinished(() => void owner.kill("SIGKILL"));
    const { value: folder } = await createInterface(owner.stdout)[Symbol.asyncIterator]().next();
    context.expect(processesWith(folder).length).toBeGreaterThan(3);
    owner.kill("SIGKILL");
    await waitUntil(() => processesWith(folder).length === 0, { what: "all processes to end" });
    await waitUntil(() => !existsSync(folder), { what: "the folder to vanish" });
  });
});

const noPartition = whyNotPartitionedSlurm();
describe.skipIf(noPartition !== undefined)(`a Slurm with a network of its own${because(noPartition)}`, atOnce, () => {
  it("loses a node whose jobs continue, and finds it again", async (context) => {
    const cluster = await during(context, startPartitionedSlurm());
    const file = join(cluster.folder, "beats");
    // What a job asks the controller goes through the network of its node.
    const asked = join(cluster.folder, "asked");
    const id = await submit(cluster, `squeue > '${asked}'; ${beat(file)}`, "--nodelist=n2");
    await jobComes(cluster, id, "RUNNING");
    await grows(file);
    context.expect(readFileSync(asked, "utf8")).toContain(`${id} `);

    await cluster.partition("n2");
    await jobComes(cluster, id, "NODE_FAIL");
    await nodeComes(cluster, "n2", "down*");
    await nodeComes(cluster, "n1", "idle");
    await grows(file);

    await cluster.heal("n2");
    await nodeComes(cluster, "n2", "idle");
  });

  it("keeps its devices to itself", async (context) => {
    const devices = () => readdirSync("/sys/class/net").filter((name) => /switch|port/.test(name));
    await during(context, startPartitionedSlurm({ nodes: 3 }));
    context.expect(devices()).toEqual([]);
  });
});

const noGridEngine = whyNotGridEngine();
describe.skipIf(noGridEngine !== undefined)(`a Grid Engine of the tests${because(noGridEngine)}`, atOnce, () => {
  it("runs the tasks of an array and knows how they ended", async (context) => {
    const engine = await during(context, startGridEngine({ slots: 3 }));
    const script = join(engine.folder, "job.sh");
    writeFileSync(script, "#!/bin/sh\necho $SGE_TASK_ID on $(hostname)\nexit $((SGE_TASK_ID - 1))\n");
    const output = (task: string) => join(engine.folder, `task-${task}`);
    const args = ["-terse", "-t", "1-3", "-j", "y", "-o", output("$TASK_ID"), script];
    const [id] = (await engine.ask("qsub", ...args)).split(".");

    const ends = await waitUntil(
      async () => {
        const text = await engine.ask("qacct", "-j", id!);
        const statuses = [...text.matchAll(/^exit_status +(\d+)/gm)].map(([, status]) => Number(status));
        return statuses.length === 3 && statuses.sort();
      },
      { what: "three records of the accounting" },
    );
    context.expect(ends).toEqual([0, 1, 2]);
    const texts = ["1", "2", "3"].map((task) => readFileSync(output(task), "utf8"));
    context.expect(texts).toEqual([1, 2, 3].map((task) => `${task} on ${hostname()}\n`));

    await engine.stop();
    context.expect(processesWith(engine.folder)).toEqual([]);
    context.expect(existsSync(engine.folder)).toBe(false);
  });
});

const noSshd = whyNotSshd();
describe.skipIf(noSshd !== undefined)(`an sshd of the tests${because(noSshd)}`, atOnce, () => {
  it("runs commands, as plain ssh does with its configuration", async (context) => {
    const hosts = await during(context, startSshd());
    context.expect(await hosts.ask("node2", "printf %s '$HOME ü'")).toBe("$HOME ü");
    const plain = promisify(execFile)("ssh", [...hosts.options, "node1", "exit 7"]);
    await context.expect(plain).rejects.toMatchObject({ code: 7 });
    if (isRoot) context.expect(await hosts.ask("node2", "hostname")).toBe("node2\n");
  });

  it("loses a host with all that runs on it, and starts it again", async (context) => {
    const hosts = await during(context, startSshd());
    const file = join(hosts.folder, "beats");
    await hosts.ask("node1", `(${beat(file)}) > /dev/null 2>&1 &`);
    await grows(file);
    await hosts.stopHost("node1");
    const size = statSync(file).size;
    await context.expect(hosts.ask("node1", "true")).rejects.toThrow("Connection refused");
    await hosts.ask("node2", "sleep 0.3");
    context.expect(statSync(file).size).toBe(size);
    await hosts.startHost("node1");
    context.expect(await hosts.ask("node1", "echo here")).toBe("here\n");
  });
});
