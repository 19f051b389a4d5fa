// The dialect of Slurm against a real one, started for this file alone.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { slurm } from "../../src/launchers/schedulers/slurm.ts";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import { because } from "../support/clusters/why-not.ts";
import { areAll, dialectAtWork, showingWords } from "../support/dialect-at-work.ts";
import { hostileWords } from "../support/sample-jobs.ts";

const reason = whyNotSlurm();

describe.skipIf(reason !== undefined)(`a real Slurm${because(reason)}`, { timeout: 300_000 }, () => {
  it("passes on every word unchanged, to each task of an array, and runs nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-slurm-it's $(here) %j "));
    const cluster = await startSlurm({ nodes: 3 });
    onTestFinished(async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const work = dialectAtWork(slurm, cluster.environment, folder);
    const account = `it's "quoted" --partition=other $(touch ${tmpdir()}/pwned) \`id\` back\\slash größe`;
    const { id, job, read, until } = await work.submit("words", showingWords(hostileWords), {
      excluded: ["n1"],
      options: { account, job_extra_directives: ["--exclude=n3"] },
    });
    const answer = await work.textOf({ program: "squeue", args: ["--noheader", "--states=all", "--format=%a"] });
    expect(new Set(answer.trim().split("\n"))).toEqual(new Set([account]));
    expect(slurm.parseFound(await work.textOf(slurm.find(job.name, {})), job.name)).toBe(id);
    const statuses = await until(areAll(2, "ended"));
    expect(statuses.map(({ node }) => node)).toEqual(["n2", "n2"]);
    for (const task of [0, 1]) expect(JSON.parse(read(task))).toEqual(hostileWords);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
    expect(existsSync(join(tmpdir(), "pwned"))).toBe(false);
    // One that Slurm does not have is refused by its whole name.
    const queue = 'main" --exclusive "';
    await expect(work.submit("queue", ["true"], { options: { queue } })).rejects.toThrow(/invalid partition/);
    await expect(work.submit("cpu", ["true"], { options: { job_cpu: "4 --exclusive" } })).rejects.toThrow(
      /4 --exclusive/,
    );
  });
});
