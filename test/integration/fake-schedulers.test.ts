// The dialects against fakes of the programs they speak to; the fakes follow the documentation of the real ones.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { ParallelEnv } from "../../src/config/parallel-envs.ts";
import { chooseScheduler } from "../../src/launchers/choose-scheduler.ts";
import { type CallAnswer, callProgram } from "../../src/launchers/jobs/call-program.ts";
import { checkJobOptions } from "../../src/launchers/jobs/job-options.ts";
import type { Call, Job, Scheduler, TaskStatus } from "../../src/launchers/jobs/scheduler.ts";
import { removeFolder } from "../support/remove-folder.ts";

const envs = ["pbs", "lsf", "htcondor", "oar", "moab", "kube"] as const satisfies readonly ParallelEnv[];
const fakes = fileURLToPath(new URL("../fixtures/fakes/on-path/", import.meta.url));

// Tests run side by side here, and a hook at the end of one of them would not know which. Removing it ends all tasks.
const parent = mkdtempSync(join(tmpdir(), "millrace-fakes-"));
afterAll(() => removeFolder(parent));

/** A cluster of fakes of its own, and a dialect that speaks to it. */
function fakeCluster(env: ParallelEnv, settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(parent, `${env}-`));
  mkdirSync(join(folder, "cluster"));
  const scheduler = chooseScheduler(env)!;
  const environment = {
    ...process.env,
    PATH: [join(fakes, env), process.env["PATH"]].join(delimiter),
    FAKE_CLUSTER: join(folder, "cluster"),
    FAKE_REQUEUE_AFTER_S: "0",
    ...settings,
  };
  const basics = env === "kube" ? { image: "i", volume_claim: "v", mount_path: "/" } : {};
  const call = (made: Call, timeoutMs = 20_000) => callProgram(made, { timeoutMs, environment });
  const makeJob = (script: string, { tasks = 3, ...more }: { tasks?: number } & Record<string, unknown> = {}): Job => ({
    name: "speech-1a2b3c",
    tasks,
    options: checkJobOptions({ env, nWorkers: tasks, options: { ...basics, ...more } }, scheduler),
    command: ["sh", "-c", script, "with blanks", "it's $(here)"],
    log: join(folder, "a log"),
    excluded: [],
  });
  const submit = async (job: Job, timeoutMs?: number): Promise<CallAnswer> => {
    const file = join(folder, "job script");
    writeFileSync(file, scheduler.render(job));
    return call(scheduler.submit(job, file), timeoutMs);
  };
  const read = (task: number) => readFileSync(join(folder, `a log.${task}.log`), "utf8");
  return { scheduler, call, makeJob, submit, read, folder };
}

type FakeCluster = ReturnType<typeof fakeCluster>;

async function submitted({ submit, scheduler }: FakeCluster, job: Job): Promise<string> {
  const answer = await submit(job);
  expect(answer).toMatchObject({ kind: "answer" });
  return scheduler.parseSubmitted(textOf(answer))!;
}

const textOf = (answer: CallAnswer): string => ("text" in answer ? answer.text : "");

/** All that is known of a submission: the status, and the history where it is in there no more. */
async function look({ scheduler, call }: FakeCluster, job: Job, id: string): Promise<TaskStatus[]> {
  const answer = await call(scheduler.status([id], job.options.schedulerOptions));
  if (answer.kind === "refusal") expect(scheduler.isGone!(answer.why)).toBe(true);
  const statuses = scheduler.parseStatus(textOf(answer)).filter((status) => status.id === id);
  const history = scheduler.history;
  if (history === undefined || statuses.length === job.tasks) return statuses;
  const past = history.parse(textOf(await call(history.ask(id, job.options.schedulerOptions))), id);
  return [...statuses, ...past.filter(({ task }) => !statuses.some((status) => status.task === task))];
}

async function until(cluster: FakeCluster, job: Job, id: string, wanted: (statuses: TaskStatus[]) => boolean) {
  for (;;) {
    const statuses = (await look(cluster, job, id)).sort((a, b) => a.task - b.task);
    if (wanted(statuses)) return statuses;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const areAll =
  (tasks: number, ...states: string[]) =>
  (statuses: TaskStatus[]) =>
    statuses.length === tasks && statuses.every(({ state }) => states.includes(state));

describe.concurrent.each(envs)("the fake of %s", (env) => {
  it("runs an array, each task with its number and its words", async ({ expect }) => {
    const cluster = fakeCluster(env);
    const job = cluster.makeJob('echo "$0|$1"');
    const id = await submitted(cluster, job);
    await until(cluster, job, id, areAll(3, "ended"));
    for (const task of [0, 1, 2]) expect(cluster.read(task)).toBe("with blanks|it's $(here)\n");
  });

  it("runs a single task, which is the first", async ({ expect }) => {
    const cluster = fakeCluster(env);
    const job = cluster.makeJob("echo here", { tasks: 1 });
    await until(cluster, job, await submitted(cluster, job), areAll(1, "ended"));
    expect(cluster.read(0)).toBe("here\n");
  });

  it("reports which task failed", async ({ expect }) => {
    const cluster = fakeCluster(env);
    const variable = cluster.scheduler.taskVariable;
    const failing = cluster.scheduler.firstTask + 1;
    const job = cluster.makeJob(`test "$${variable}" != ${failing}`, env === "kube" ? { backoff: 1 } : {});
    const statuses = await until(cluster, job, await submitted(cluster, job), areAll(3, "ended", "lost"));
    expect(statuses.map(({ state }) => state)).toEqual(["ended", "lost", "ended"]);
  });

  it("ends tasks that are cancelled, with SIGTERM and then with SIGKILL", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_KILL_AFTER_MS: "300", FAKE_SLOTS: "2" });
    const job = cluster.makeJob("trap 'echo told' TERM; while :; do sleep 0.1; done");
    const id = await submitted(cluster, job);
    await until(cluster, job, id, (statuses) => statuses.filter(({ state }) => state === "running").length === 2);
    const answer = await cluster.call(cluster.scheduler.cancel([id], job.options.schedulerOptions));
    expect(answer).toMatchObject({ kind: "answer" });
    // What is deleted from Kubernetes is not there any more.
    await until(cluster, job, id, env === "kube" ? (statuses) => statuses.length === 0 : areAll(3, "cancelled"));
    expect(cluster.read(0)).toContain("told");
  });

  it("cancels what waits and lets the others run, where it can", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_SLOTS: "2" });
    const { scheduler, call } = cluster;
    // What cannot leave out a node need not take anything back for it; an index of a Job of Kubernetes cannot be taken back.
    expect(scheduler.cancelWaiting !== undefined).toBe(scheduler.canExclude && env !== "kube");
    if (scheduler.cancelWaiting === undefined) return;
    const job = cluster.makeJob("while [ ! -e go ]; do sleep 0.1; done", { tasks: 6 });
    const id = await submitted(cluster, job);
    const count = (statuses: TaskStatus[], state: string) => statuses.filter((status) => status.state === state).length;
    const before = await until(cluster, job, id, (statuses) => count(statuses, "running") === 2);
    const waiting = before.filter(({ state }) => state === "pending").map(({ task }) => task);
    expect(await call(scheduler.cancelWaiting(id, waiting, job.options.schedulerOptions))).toMatchObject({
      kind: "answer",
    });
    const statuses = await until(cluster, job, id, (now) => count(now, "cancelled") === 4);
    expect(statuses.map(({ state }) => state).sort()).toEqual([...Array(4).fill("cancelled"), "running", "running"]);
  });

  it("refuses a queue there is not and an array that is too large", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_QUEUES: "good,default", FAKE_ARRAY_LIMIT: "2" });
    expect(await cluster.submit(cluster.makeJob("true"))).toMatchObject({ kind: "refusal" });
    // HTCondor has no queues.
    if (env === "htcondor") return;
    const where = env === "kube" ? "namespace" : "queue";
    expect(await cluster.submit(cluster.makeJob("true", { tasks: 2, [where]: "bad" }))).toMatchObject({
      kind: "refusal",
    });
    expect(await cluster.submit(cluster.makeJob("true", { tasks: 2, [where]: "good" }))).toMatchObject({
      kind: "answer",
    });
  });

  it("reports its limit of arrays, where it can", async ({ expect }) => {
    const { scheduler, call } = fakeCluster(env, { FAKE_ARRAY_LIMIT: "77" });
    if (scheduler.arrayLimit === undefined) return;
    expect(scheduler.arrayLimit.parse(textOf(await call(scheduler.arrayLimit.ask)))).toBe(77);
  });

  it("finds a submission whose answer was lost", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_LOSE_ANSWER: "1" });
    const job = cluster.makeJob("exec sleep 30");
    const { scheduler, call } = cluster;
    const answer = cluster.submit(job);
    const find = async (name: string) => {
      const answer = await call(scheduler.find(name, job.options.schedulerOptions));
      return scheduler.parseFound(textOf(answer), name);
    };
    let found: string | undefined;
    while (found === undefined) found = await find(job.name);
    expect(await find("other")).toBeUndefined();
    expect(await call(scheduler.cancel([found], job.options.schedulerOptions))).toMatchObject({ kind: "answer" });
    await removeFolder(cluster.folder);
    expect(await answer).toMatchObject({ kind: "refusal" });
  });

  it("runs a task again that asks for it, where it may", async () => {
    const cluster = fakeCluster(env);
    const asked = cluster.scheduler.requeue?.({ ...requeueVariables });
    if (asked === undefined || !("exitCode" in asked)) return;
    const marker = join(cluster.folder, "ran");
    const job = cluster.makeJob(`test -e '${marker}' || { : > '${marker}'; exit ${asked.exitCode}; }`, { tasks: 1 });
    await until(cluster, job, await submitted(cluster, job), areAll(1, "ended"));
  });

  it("ends a task at its walltime, which is not taken for cancelled", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_MINUTE_S: "1" });
    const job = cluster.makeJob("exec sleep 60", { tasks: 1, walltime: env === "lsf" ? "0:01" : "2s", grace: 1 });
    const statuses = await until(cluster, job, await submitted(cluster, job), areAll(1, "lost", "cancelled"));
    expect(statuses[0]?.state).toBe("lost");
  });

  it("leaves out excluded nodes, where it can", async ({ expect }) => {
    const cluster = fakeCluster(env, { FAKE_NODES: "good,bad" });
    if (!cluster.scheduler.canExclude) return;
    const job = { ...cluster.makeJob("echo $FAKE_NODE"), excluded: ["bad"] };
    await until(cluster, job, await submitted(cluster, job), areAll(3, "ended"));
    expect([0, 1, 2].map(cluster.read)).toEqual(["good\n", "good\n", "good\n"]);
  });

  it("reports an unknown job as gone, and does not do so when the scheduler does not answer", async ({ expect }) => {
    const { scheduler, call } = fakeCluster(env);
    const unknown = { pbs: "99999[].fake", kube: "unknown" }[env as string] ?? "99999";
    const answer = await call(scheduler.status([unknown], {}));
    expect(scheduler.parseStatus(textOf(answer))).toEqual([]);
    if (answer.kind === "refusal") expect(scheduler.isGone!(answer.why)).toBe(true);
    const down = fakeCluster(env, { FAKE_DOWN: scheduler.status([unknown], {}).program });
    const refused = await down.call(scheduler.status([unknown], {}));
    expect(refused).toMatchObject({ kind: "refusal" });
    expect((scheduler as Scheduler).isGone?.((refused as { why: string }).why) ?? false).toBe(false);
  });

  it("reports the time that a task has left, where it can", async ({ expect }) => {
    const cluster = fakeCluster(env);
    const { timeLeft } = cluster.scheduler;
    if (timeLeft === undefined) return;
    const job = cluster.makeJob("env -0 > $FAKE_CLUSTER/env; exec sleep 60", { tasks: 1, walltime: "1h" });
    const id = await submitted(cluster, job);
    await until(cluster, job, id, areAll(1, "running"));
    let environment: Record<string, string> = {};
    while (Object.keys(environment).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      try {
        const pairs = readFileSync(join(cluster.folder, "cluster/env"), "utf8").split("\0").filter(Boolean);
        environment = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
      } catch {
        // Not written yet.
      }
    }
    const left = timeLeft.parse(textOf(await cluster.call(timeLeft.ask(environment)!)), {
      environment,
      nowMs: Date.now(),
    });
    expect(left).toBeGreaterThan(3000);
    expect(left).toBeLessThanOrEqual(3600);
    await cluster.call(cluster.scheduler.cancel([id], job.options.schedulerOptions));
  });
});

const requeueVariables = { LSB_JOBID: "1", CONDOR_PROCESS: "0", OAR_JOB_ID: "1", JOB_COMPLETION_INDEX: "0" };
