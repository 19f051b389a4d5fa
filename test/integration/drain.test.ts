import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runStatus } from "millrace";
import { describe, expect, it, vi } from "vitest";
import { program } from "../support/cli/project.ts";
import { watchedRun } from "../support/watched-run.ts";

async function millrace(...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, stderr };
}

describe.each(["local", "process", "thread"] as const)("a run that is drained (env: %s)", (env) => {
  it("finishes the current shards, begins no other, and continues when it is started again", async () => {
    const run = watchedRun({ env, items: 400, shards: 80, itemMs: 200 });
    const driver = run.start();
    await vi.waitUntil(async () => (await runStatus(run.dir).catch(() => undefined))?.shards.committed ?? 0, {
      timeout: 200_000,
    });
    const answer = await millrace("cancel", run.dir, "--drain");
    expect(answer).toMatchObject({ code: 0, stderr: expect.stringMatching(/is stopped at \d+ of 400 items/) });
    expect(await driver.ended).toBe(1);
    expect(driver.stderr()).toMatch(/was stopped with \d+ shards to do/);
    const { state, shards, items } = await runStatus(run.dir);
    expect({ state, isPart: shards.committed < 80 }).toEqual({ state: "stopped", isPart: true });
    expect(items.done).toBe(5 * shards.committed);
    // Nothing was released: what was begun is committed.
    expect(readdirSync(join(run.dir, ".millrace", "attempts"))).toEqual([]);
    expect(new Set(run.history().map(({ outcome }) => outcome))).toEqual(new Set(["committed"]));
    run.touch("go");
    expect(await run.start().ended).toBe(0);
    expect(await runStatus(run.dir)).toMatchObject({ state: "complete", items: { done: 400 } });
    const units = run.history().map(({ unit }) => unit);
    expect(units.filter((unit) => unit !== "merge").sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 80 }, (_, i) => i),
    );
  });
});

describe("millrace cancel --drain", () => {
  it("need not wait", async () => {
    const run = watchedRun({ items: 400, shards: 40, itemMs: 200 });
    const driver = run.start();
    await vi.waitUntil(async () => (await runStatus(run.dir).catch(() => undefined))?.state === "running", {
      timeout: 200_000,
    });
    const { code, stderr } = await millrace("cancel", run.dir, "--drain", "--no-wait");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("after the current shards") });
    expect(await driver.ended).toBe(1);
  });

  it("is overtaken by a plain cancel: then no worker finishes its shard", async () => {
    const run = watchedRun({ items: 4, shards: 2, itemMs: 2000, isHeld: true });
    const driver = run.start();
    await vi.waitUntil(async () => ((await runStatus(run.dir).catch(() => undefined))?.workers.length ?? 0) > 1, {
      timeout: 200_000,
    });
    await millrace("cancel", run.dir, "--drain", "--no-wait");
    const now = millrace("cancel", run.dir);
    await vi.waitUntil(() => existsSync(join(run.dir, ".millrace", "stop")), { timeout: 200_000 });
    // Items are not interrupted, but what is left of their shards is released.
    run.touch("go");
    expect((await now).code).toBe(0);
    await driver.ended;
    expect(run.history().every(({ outcome }) => outcome === "released")).toBe(true);
  });
});
