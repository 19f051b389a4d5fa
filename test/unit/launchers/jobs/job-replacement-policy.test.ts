import { beforeEach, describe, expect, it, vi } from "vitest";
import { MillraceError } from "../../../../src/errors/errors.ts";
import { jobReplacementPolicy } from "../../../../src/launchers/jobs/job-replacement-policy.ts";
import type { LostTask } from "../../../../src/launchers/jobs/watch-jobs.ts";
import { runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import type { Submission } from "../../../../src/run-folder/jobs/job-records.ts";

let said = "";
beforeEach(() => {
  said = "";
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += text;
    return true;
  });
  return () => spy.mockRestore();
});

const failedOn = (node: string | undefined, error?: MillraceError): LostTask => ({
  kind: "failed",
  node,
  why: error?.message ?? "Slurm says FAILED",
  error,
});
const lostOn = (node: string): LostTask => ({ kind: "lost", node, why: "Slurm says NODE_FAIL", error: undefined });
const due: LostTask = { kind: "due", node: "n1", why: "", error: undefined };

/** A keeper at a queue that takes everything; tasks that were lost are counted off by the test. */
function newKeeper({
  running = 0,
  pending = 0,
  wasReady = false,
  waiting = [] as number[],
  canExclude = true,
  canWithdraw = true,
  resubmits = undefined as number | undefined,
  hasProgress = (): boolean => false,
} = {}) {
  const state = { running, pending: pending + waiting.length, wasReady, waiting };
  const submitted: { tasks: number; excluded: string[] }[] = [];
  const behaviour: { refusal?: Error; noWithdrawal?: string; inherited: Submission[] } = { inherited: [] };
  const withdrawn: number[][] = [];
  const before = { version: 1, name: "before", env: "slurm", tasks: 9, processes: 1, graceSeconds: 0 } as const;
  const submission = (tasks: number): Submission => ({
    version: 1,
    name: `job-${submitted.length}`,
    env: "slurm",
    tasks,
    processes: 1,
    graceSeconds: 0,
  });
  const keeper = jobReplacementPolicy(runPaths("/run"), {
    queue: {
      async submit(tasks, excluded = []) {
        if (behaviour.refusal !== undefined) throw behaviour.refusal;
        submitted.push({ tasks, excluded: [...excluded] });
        return [submission(tasks)];
      },
      inherited: async () => behaviour.inherited,
      ...(canWithdraw
        ? {
            async withdraw(waiting) {
              if (behaviour.noWithdrawal === undefined) withdrawn.push(...waiting.map(({ tasks }) => [...tasks]));
              return behaviour.noWithdrawal;
            },
          }
        : {}),
    },
    watch: {
      submissions: [before],
      waitingTasks: () => (state.waiting.length === 0 ? [] : [{ submission: before, tasks: [...state.waiting] }]),
      look: async () => {
        const gone = withdrawn.length === 0 ? [] : state.waiting.splice(0);
        state.pending -= gone.length;
        return gone.map(() => due);
      },
      add: (more) => {
        for (const { tasks } of more) state.pending += tasks;
      },
      counts: () => ({ ...state, over: 0, lost: 0 }),
      wasAnyReady: () => state.wasReady,
    },
    site: { title: "Slurm", canExclude },
    options: { resubmits },
    hasProgress,
  });
  return { keeper, state, submitted, withdrawn, behaviour, submission };
}

describe("the jobs of a run", () => {
  it("are not replaced while enough are there, nor without a reason", async () => {
    const { keeper, submitted } = newKeeper({ running: 2, wasReady: true });
    await keeper.replace([], 4);
    await keeper.replace([lostOn("n1")], 2);
    expect(submitted).toEqual([]);
  });

  it("are replaced where they were lost or had no time left, as many as are missing", async () => {
    const { keeper, submitted } = newKeeper({ running: 1, wasReady: true });
    await keeper.replace([due, lostOn("n1"), due], 3);
    expect(submitted).toEqual([{ tasks: 2, excluded: [] }]);
    expect(said).toBe(
      "millrace: a job on n1 was lost: Slurm says NODE_FAIL\nmillrace: submitted 2 jobs to replace those that ended\n",
    );
  });

  it("are replaced within a budget", async () => {
    const { keeper, state } = newKeeper({ wasReady: true, resubmits: 2 });
    for (let i = 0; i < 2; i++) {
      await keeper.replace([lostOn("n1")], 1);
      state.pending = 0;
    }
    await expect(keeper.replace([lostOn("n1")], 1)).rejects.toMatchObject({
      code: "JOBS_LOST",
      message: expect.stringContaining("More than 2 jobs were lost; the last one: Slurm says NODE_FAIL"),
    });
  });

  it("are replaced for ever where the run makes progress between the losses, unless a number is set", async () => {
    const { keeper, state, submitted } = newKeeper({ wasReady: true, hasProgress: () => true });
    for (let i = 0; i < 40; i++) {
      await keeper.replace([lostOn("n1")], 1);
      state.pending = 0;
    }
    expect(submitted).toHaveLength(40);
    const limited = newKeeper({ wasReady: true, hasProgress: () => true, resubmits: 0 });
    await expect(limited.keeper.replace([lostOn("n1")], 1)).rejects.toMatchObject({ code: "JOBS_LOST" });
  });

  it("are given up where the run saves nothing between the losses", async () => {
    const { keeper, state } = newKeeper({ wasReady: true });
    for (let i = 0; i < 3; i++) {
      await keeper.replace([lostOn("n1")], 1);
      state.pending = 0;
    }
    await expect(keeper.replace([lostOn("n1")], 1)).rejects.toMatchObject({
      code: "JOBS_LOST",
      message: expect.stringContaining("More than 3 jobs were lost, and the run saved nothing meanwhile"),
    });
  });

  it("have a budget that jobs whose time was up do not use", async () => {
    const { keeper, state, submitted } = newKeeper({ wasReady: true, resubmits: 0 });
    for (let i = 0; i < 20; i++) {
      await keeper.replace([due], 1);
      state.pending = 0;
    }
    expect(submitted).toHaveLength(20);
  });

  it("are not replaced twice where another driver was quicker", async () => {
    const { keeper, submitted, behaviour, submission } = newKeeper({ wasReady: true });
    behaviour.inherited = [submission(1)];
    await keeper.replace([lostOn("n1")], 1);
    expect(submitted).toEqual([]);
  });

  it("are owed while the scheduler refuses more and others work; it says so once", async () => {
    const { keeper, submitted, behaviour } = newKeeper({ running: 1, wasReady: true });
    behaviour.refusal = new MillraceError("SCHEDULER_FAILED", "too many jobs");
    await keeper.replace([lostOn("n1")], 2);
    await keeper.replace([], 2);
    expect(said.match(/too many jobs/g)).toHaveLength(1);
    delete behaviour.refusal;
    await keeper.replace([], 2);
    await keeper.replace([], 2);
    expect(submitted).toEqual([{ tasks: 1, excluded: [] }]);
  });

  it("are given up where the scheduler refuses more and no worker is left", async () => {
    const { keeper, behaviour } = newKeeper({ wasReady: true });
    behaviour.refusal = new MillraceError("SCHEDULER_FAILED", "too many jobs");
    await expect(keeper.replace([lostOn("n1")], 1)).rejects.toThrow("too many jobs");
  });
});

describe("a node on which jobs die early", () => {
  it("is left out from the second death on, and said so", async () => {
    const { keeper, submitted } = newKeeper({ running: 2, wasReady: true });
    await keeper.replace([failedOn("n2")], 3);
    await keeper.replace([failedOn("n2")], 4);
    await keeper.replace([failedOn("n2")], 5);
    expect(submitted.map(({ excluded }) => excluded)).toEqual([[], ["n2"], ["n2"]]);
    expect(said.match(/2 jobs died early on n2: no more jobs are submitted to it/g)).toHaveLength(1);
  });

  it("is not sent what waits: that is cancelled and submitted again, at the expense of no budget", async () => {
    const { keeper, submitted, withdrawn } = newKeeper({
      running: 2,
      wasReady: true,
      waiting: [4, 5, 7],
      resubmits: 2,
    });
    await keeper.replace([failedOn("n2")], 6);
    expect(withdrawn).toEqual([]);
    await keeper.replace([failedOn("n2")], 7);
    await keeper.replace([], 7);
    expect(withdrawn).toEqual([[4, 5, 7]]);
    expect(submitted).toEqual([
      { tasks: 1, excluded: [] },
      { tasks: 4, excluded: ["n2"] },
    ]);
    expect(said).toContain("cancelled 3 jobs that wait, for others that are not sent to n2\n");
  });

  it("is not sent what waits, as soon as the scheduler can be asked for that", async () => {
    const { keeper, submitted, withdrawn, behaviour } = newKeeper({ running: 2, wasReady: true, waiting: [4] });
    behaviour.noWithdrawal = "no answer";
    await keeper.replace([failedOn("n2"), failedOn("n2")], 3);
    await keeper.replace([], 3);
    expect(said.match(/may still send a job that waits to n2; this is tried again: no answer/g)).toHaveLength(1);
    expect(submitted).toEqual([]);
    delete behaviour.noWithdrawal;
    await keeper.replace([], 3);
    expect(withdrawn).toEqual([[4]]);
    expect(submitted).toEqual([{ tasks: 1, excluded: ["n2"] }]);
  });

  it("may still be sent what waits where that cannot be taken back, and that is said", async () => {
    const { keeper, submitted } = newKeeper({ running: 2, wasReady: true, waiting: [4, 5], canWithdraw: false });
    await keeper.replace([failedOn("n2"), failedOn("n2")], 6);
    await keeper.replace([], 6);
    expect(submitted).toEqual([{ tasks: 2, excluded: ["n2"] }]);
    expect(said.match(/Slurm may still send 2 jobs that wait to n2: it cannot cancel them/g)).toHaveLength(1);
  });

  it("is named where the scheduler cannot leave it out", async () => {
    const { keeper, submitted } = newKeeper({ running: 2, wasReady: true, canExclude: false });
    await keeper.replace([failedOn("n2"), failedOn("n2")], 4);
    expect(submitted).toEqual([{ tasks: 2, excluded: [] }]);
    expect(said).toContain("cannot exclude it");
  });

  it("is not the end of a run that has not begun elsewhere", async () => {
    const { keeper, submitted } = newKeeper();
    await keeper.replace([failedOn("n2"), failedOn("n2"), failedOn("n2"), failedOn("n2")], 4);
    expect(submitted).toEqual([{ tasks: 4, excluded: ["n2"] }]);
  });

  it("is not left out because jobs were lost on it later", async () => {
    const { keeper, submitted } = newKeeper({ running: 1, wasReady: true });
    await keeper.replace([lostOn("n1"), lostOn("n1"), lostOn("n1")], 4);
    expect(submitted).toEqual([{ tasks: 3, excluded: [] }]);
  });
});

describe("a run that cannot start", () => {
  it("is given up after three early deaths on several nodes", async () => {
    const { keeper, state } = newKeeper();
    await keeper.replace([failedOn("n1")], 1);
    state.pending = 0;
    await keeper.replace([failedOn("n2")], 1);
    state.pending = 0;
    await expect(keeper.replace([failedOn("n3")], 1)).rejects.toMatchObject({
      code: "WORKER_CRASHED",
      message: expect.stringContaining("3 jobs in a row ended before a worker was ready: Slurm says FAILED"),
    });
  });

  it("is given up with the error that its jobs report", async () => {
    const error = new MillraceError("ENV_FAILED", "the model is not there");
    const { keeper } = newKeeper();
    const deaths = ["n1", "n2", "n1"].map((node) => failedOn(node, error));
    await expect(keeper.replace(deaths, 3)).rejects.toBe(error);
  });

  it("is given up where its only node is left out", async () => {
    const { keeper, behaviour } = newKeeper();
    behaviour.refusal = new MillraceError("SCHEDULER_FAILED", "Requested node configuration is not available");
    await expect(keeper.replace([failedOn("n1"), failedOn("n1"), failedOn("n1")], 3)).rejects.toMatchObject({
      code: "WORKER_CRASHED",
    });
  });

  it("is given up on unknown nodes", async () => {
    const { keeper } = newKeeper();
    const deaths = [1, 2, 3].map(() => failedOn(undefined));
    await expect(keeper.replace(deaths, 3)).rejects.toMatchObject({ code: "WORKER_CRASHED" });
  });

  it("is not given up while a job is just starting, nor once any worker was ready", async () => {
    const starting = newKeeper({ running: 1 });
    await starting.keeper.replace([failedOn("n1"), failedOn("n2"), failedOn("n3")], 4);
    expect(starting.submitted).toHaveLength(1);
    const ready = newKeeper({ wasReady: true });
    await ready.keeper.replace([failedOn("n1"), failedOn("n2"), failedOn("n3")], 4);
    expect(ready.submitted).toHaveLength(1);
  });
});
