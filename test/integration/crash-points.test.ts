import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readShardState, runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { itemCount, runJob } from "../fixtures/children/durable-job.mjs";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const child = (name: string) => fileURLToPath(new URL(`../fixtures/children/${name}`, import.meta.url));

/** Everything a reader of a finished run sees. */
function outputsOf(dir: string): Record<string, string> {
  const merged = ["records.jsonl", "text"].map((name) => [name, readFileSync(join(dir, name), "utf8")]);
  const states = [0, 1].map((id) => [`state ${id}`, JSON.stringify(readShardState(join(dir, `split.${id}`)))]);
  return Object.fromEntries([...merged, ...states]);
}

function leftovers(dir: string): string[] {
  return ["leases", "attempts", "workers"].flatMap((folder) => readdirSync(join(dir, ".millrace", folder)));
}

/** Kills a run at one step; true if the run got that far. */
function killAt(step: number, mode: "before" | "torn", dir: string): Promise<boolean> {
  const env = { ...process.env, CRASH_AT: String(step), CRASH_MODE: mode, CRASH_UNDER: dir };
  const run = spawn(process.execPath, ["--import", child("crash-at.mjs"), child("durable-job.mjs"), dir], {
    env,
    stdio: "pipe",
  });
  let stderr = "";
  run.stderr.on("data", (text) => (stderr += text));
  return new Promise((resolve, reject) => {
    run.on("error", reject);
    run.on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(`step ${step} (${mode}): exit ${code}\n${stderr}`));
    });
  });
}

async function killAndResume(
  step: number,
  mode: "before" | "torn",
  expected: Record<string, string>,
): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "millrace-test-crash-"));
  try {
    const wasKilled = await killAt(step, mode, dir);
    await runJob(dir);
    expect(outputsOf(dir), `after a kill ${mode} step ${step}`).toEqual(expected);
    expect((await runStatus(dir)).items, `after a kill ${mode} step ${step}`).toEqual({
      total: itemCount,
      done: itemCount,
      written: itemCount - 2,
      dropped: 1,
      failed: 1,
    });
    expect(leftovers(dir), `after a kill ${mode} step ${step}`).toEqual([]);
    return wasKilled;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe.each(["before", "torn"] as const)("a run killed %s each step it takes on the file system", (mode) => {
  it("resumes to the bytes of an undisturbed run, every item once", { timeout: 300_000 }, async () => {
    const reference = temporaryFolder();
    await runJob(reference);
    const expected = outputsOf(reference);
    // Steps are found by going on until a run is not killed any more; two lanes, one for each core.
    let next = 1;
    let isOver = false;
    let killed = 0;
    const lane = async () => {
      while (!isOver) {
        if (await killAndResume(next++, mode, expected)) killed++;
        else isOver = true;
      }
    };
    await Promise.all([lane(), lane()]);
    expect(killed).toBeGreaterThan(mode === "before" ? 60 : 20);
  });
});
