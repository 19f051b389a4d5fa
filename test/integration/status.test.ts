import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { range, runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { SquareProvider, SquareRunner } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/children/${name}`, import.meta.url));

describe("runStatus", () => {
  it("distinguishes a complete run from one that failed", async () => {
    const outputDir = temporaryFolder();
    const options = { progress: false, outputDir, shards: 4, acceptChange: true };
    await expect(new SquareRunner(new SquareProvider({ failAt: [5] }), options).run(range(8))).rejects.toThrow();
    expect(await runStatus(outputDir)).toMatchObject({
      state: "failed",
      failure: { code: "ITEM_FAILED", item: 5 },
      items: { total: 8, done: 4, written: 4 },
      shards: { total: 4, committed: 2, damaged: 0 },
      workers: [],
      etaSeconds: undefined,
    });
    await new SquareRunner(new SquareProvider({}), options).run(range(8));
    expect(await runStatus(outputDir)).toMatchObject({
      state: "complete",
      items: { done: 8 },
      shards: { committed: 4 },
    });
  });

  it("shows who is at work, although that one is in the middle of an item, and no longer once it was killed", async () => {
    const outputDir = temporaryFolder();
    const child = spawn(process.execPath, [fixture("holds-its-first-shard.mjs"), outputDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    // The thread that reports beats twice a second.
    const shard = async () => (await runStatus(outputDir)).workers[0]?.shard;
    await expect.poll(shard).toBe(0);
    expect(await runStatus(outputDir)).toMatchObject({
      state: "running",
      workers: [{ pid: child.pid, shard: 0, position: 0 }],
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await runStatus(outputDir)).toMatchObject({ state: "stopped", workers: [] });
  });

  it("says where there is no run", async () => {
    await expect(runStatus(temporaryFolder())).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });
});

describe("progress", () => {
  async function stderrOf(args: string[]): Promise<string> {
    const child = spawn(process.execPath, [fixture("takes-two-seconds.mjs"), temporaryFolder(), ...args], {
      stdio: ["ignore", "inherit", "pipe"],
    });
    let text = "";
    child.stderr.on("data", (part) => (text += part));
    await once(child, "close");
    return text;
  }

  it("is plain lines where stderr is no terminal, with a last one at the end", async () => {
    const lines = (await stderrOf([])).trim().split("\n");
    expect(lines.at(0)).toMatch(/^SlowRunner: \d+\/40 items \(\d+ %\)/);
    expect(lines.at(-1)).toMatch(/^SlowRunner: 40\/40 items \(100 %\).* 1 failed$/);
  });

  it("is shown although no hook ever waits and every shard is short", async () => {
    const lines = (await stderrOf(["--sync"])).trim().split("\n");
    expect(lines.length).toBeGreaterThan(1);
  });

  it("is a block that is drawn again on a terminal, and one line in the end", (context) => {
    const command = `"${process.execPath}" "${fixture("takes-two-seconds.mjs")}" "${temporaryFolder()}"`;
    // `script` gives the program a pseudo-terminal.
    const { stdout, error } = spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8" });
    if (error !== undefined) context.skip("script, of util-linux, is missing");
    const draws = stdout.split("SlowRunner:").slice(1);
    expect(draws.length).toBeGreaterThan(2);
    expect(draws[0]).toContain("━");
    expect(draws[0]).toMatch(/split\.\d+ of \d+, item \d+/);
    expect(draws.at(-1)).toMatch(/^ 40\/40 items \(100 %\).* 1 failed/);
    // Nothing of the block is left below the last line.
    expect(draws.at(-1)!.trimEnd().split("\n")).toHaveLength(1);
    expect(draws.at(-1)).toContain("\u001b[J");
  });

  it("is silent with progress: false", async () => {
    expect(await stderrOf(["--quiet"])).toBe("");
  });
});
