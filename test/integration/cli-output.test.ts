import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeProject, program } from "../support/cli/project.ts";

describe("the output of millrace run", () => {
  it.each(["local", "process", "thread"])("is complete where its reader is slow: env %s", async (env) => {
    const project = makeProject();
    const words = ["run", "job.yaml", "says_bytes=1000000", "items=3", `parallel.env=${env}`];
    const child = spawn(process.execPath, [program, ...words], {
      cwd: project.dir,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await expect.poll(() => existsSync(project.path("exp/job/.millrace/merged.json"))).toBe(true);
    // A command that drops unread output ends within this time.
    await sleep(2500);
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    expect(await ended).toBe(0);
    expect(text.match(/^x{999999}$/gm)?.length).toBe(3);
  });
});
