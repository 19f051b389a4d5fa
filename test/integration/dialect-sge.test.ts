// The dialect of Grid Engine against a real one: Debian's packages, started for this file alone.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { TaskStatus } from "../../src/launchers/jobs/scheduler.ts";
import { sge } from "../../src/launchers/schedulers/sge.ts";
import { type GridEngine, startGridEngine, whyNotGridEngine } from "../support/clusters/sge.ts";
import { because } from "../support/clusters/why-not.ts";
import { areAll, type DialectAtWork, dialectAtWork, showingWords } from "../support/dialect-at-work.ts";
import { hostileWords } from "../support/sample-jobs.ts";

const reason = whyNotGridEngine();

describe.skipIf(reason !== undefined).concurrent(`a real Grid Engine${because(reason)}`, { timeout: 300_000 }, () => {
  let cluster: GridEngine;
  let folder: string;
  let work: DialectAtWork;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "millrace-sge-it's $(here) "));
    cluster = await startGridEngine({ slots: 8 });
    work = dialectAtWork(sge, cluster.environment, folder);
  }, 300_000);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("passes on every word unchanged, to each task of an array, and runs nothing else", async ({ expect }) => {
    const { read, until } = await work.submit("words", showingWords(hostileWords), {
      excluded: ["nosuch1", "nosuch2"],
    });
    await until(areAll(2, "ended"));
    for (const task of [0, 1]) expect(JSON.parse(read(task))).toEqual(hostileWords);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  it("runs a task again that asks for it, and reads from the accounting how tasks ended", async ({ expect }) => {
    const { exitCode } = sge.requeue!({ SGE_TASK_ID: "1" }) as { exitCode: number };
    const script = `echo run; case $SGE_TASK_ID in 1) test "$RESTARTED" = 1 || exit ${exitCode};; 2) exit 3;; esac`;
    const { read, until } = await work.submit("again", ["sh", "-c", script], { tasks: 3 });
    const statuses = await until(areAll(3, "ended", "lost"));
    expect(statuses.map(({ state }) => state)).toEqual(["ended", "lost", "ended"]);
    expect(statuses[1]?.detail).toBe("failed 0, exit status 3");
    expect(read(0)).toBe("run\nrun\n");
  });

  it("is found, reports the time left, is warned and ended when it is cancelled", async ({ expect }) => {
    const script = "trap 'echo warned' USR2; echo ready; while :; do sleep 0.2; done";
    const options = { walltime: "00:10:00" };
    const { id, job, read, until } = await work.submit("cancel", ["sh", "-c", script], { options });
    await until(
      (statuses) => areAll(2, "running")(statuses) && [0, 1].every((task) => existsSync(`${job.log}.${task}.log`)),
    );
    expect(sge.parseFound(await work.textOf(sge.find(job.name, {})), job.name)).toBe(id);
    const environment = { JOB_ID: id, SGE_TASK_ID: "2" };
    const answer = await work.textOf(sge.timeLeft!.ask(environment)!);
    const left = sge.timeLeft!.parse(answer, { environment, nowMs: Date.now() });
    expect(left).toBeGreaterThan(300);
    expect(left).toBeLessThanOrEqual(600);
    await work.textOf(sge.cancel([id], {}));
    const statuses = await until(areAll(2, "lost"));
    expect(statuses[0]?.node).toBe(hostname());
    expect(read(0)).toContain("warned");
    const again = await work.call(sge.cancel([id], {}));
    expect(again).toMatchObject({ kind: "refusal" });
    expect(sge.isGone!((again as { why: string }).why)).toBe(true);
  });

  it("cancels what waits, and what has begun continues", async ({ expect }) => {
    const go = join(folder, "go");
    const command = ["sh", "-c", 'while [ ! -e "$0" ]; do sleep 0.2; done', go];
    // Of its eight slots, others need some.
    const { id, until } = await work.submit("waiting", command, { tasks: 30 });
    const states = (statuses: readonly TaskStatus[], state: string) =>
      statuses.filter((status) => status.state === state);
    const before = await until(
      (statuses) => states(statuses, "running").length > 0 && states(statuses, "pending").length > 0,
    );
    const tasks = states(before, "pending").map(({ task }) => task);
    await work.textOf(sge.cancelWaiting!(id, tasks, {}));
    const left = sge.parseStatus(await work.textOf(sge.status([id], {}))).filter((status) => status.id === id);
    expect(states(left, "pending")).toEqual([]);
    expect(states(left, "running").length).toBeGreaterThan(0);
    writeFileSync(go, "");
    await until((statuses) => states(statuses, "running").length === 0);
  });

  it("leaves out a host beside those that the user leaves out", async ({ expect }) => {
    const options = { job_extra_directives: [`-l h=${hostname()}|nosuch1`] };
    const { until } = await work.submit("hosts", ["true"], { excluded: ["nosuch2"], options });
    await until(areAll(2, "ended"));
    const left = await work.submit("nohost", ["true"], { excluded: [hostname()], options, tasks: 1 });
    const answer = await work.textOf({ program: "qstat", args: ["-j", left.id] });
    expect(answer).toContain(`hostname=(${hostname()}|nosuch1)&!${hostname()}`);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await left.until(areAll(1, "pending"))).toHaveLength(1);
    await work.textOf(sge.cancel([left.id], {}));
  });

  it("takes a hostile value for one word, and runs nothing", async ({ expect }) => {
    const pwned = join(tmpdir(), `millrace-pwned-${process.pid}`);
    const queue = `nosuch -l h_rt=1 $(touch ${pwned}) \`touch ${pwned}\``;
    await expect(work.submit("value", ["true"], { options: { queue } })).rejects.toThrow(`unknown queue "${queue}"`);
    expect(existsSync(pwned)).toBe(false);
  });

  it("starts the shell as the first line says", async ({ expect }) => {
    const options = { shebang: "#!/bin/bash -l", job_script_prologue: ["shopt -q login_shell && echo login"] };
    const { read, until } = await work.submit("login", ["echo", "it's"], { options });
    await until(areAll(2, "ended"));
    expect(read(1)).toBe("login\nit's\n");
  });

  it("reports the limit of its arrays and refuses what it does not have", async ({ expect }) => {
    expect(sge.arrayLimit!.parse(await work.textOf(sge.arrayLimit!.ask))).toBe(75_000);
    await expect(work.submit("queue", ["true"], { options: { queue: "nosuch" } })).rejects.toThrow(/unknown queue/);
  });
});
