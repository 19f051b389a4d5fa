import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readShardState, runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { itemCount, retryJob, runJob } from "../fixtures/children/durable-job.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

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

type Mode = "before" | "torn";
type Work = "run" | "retry";

interface Kills {
  readonly mode: Mode;
  readonly work: Work;
  /** Calls of `forward` that may be open, in turn. */
  readonly concurrency: readonly number[];
}

/** Kills a run or a retry at one step; true if it got that far. */
function killAt(step: number, dir: string, { mode, work, concurrency }: Kills): Promise<boolean> {
  const env = { ...process.env, CRASH_AT: String(step), CRASH_MODE: mode, CRASH_UNDER: dir };
  const args = ["--import", child("crash-at.mjs"), child("durable-job.mjs"), dir, work];
  args.push(String(concurrency[step % concurrency.length]));
  const run = spawn(process.execPath, args, { env, stdio: "pipe" });
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

/** Kills at each step, found by going on until nothing is killed any more; two lanes, one for each core. */
async function killAtEachStep(kills: Kills, check: (dir: string, when: string) => Promise<void>): Promise<number> {
  const { mode, work } = kills;
  let next = 1;
  let isOver = false;
  let killed = 0;
  const lane = async () => {
    while (!isOver) {
      const step = next++;
      const dir = mkdtempSync(join(tmpdir(), "millrace-test-crash-"));
      try {
        if (work === "retry") await runJob(dir);
        if (await killAt(step, dir, kills)) killed++;
        else isOver = true;
        await check(dir, `after a kill ${mode} step ${step} of a ${work}`);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    }
  };
  await Promise.all([lane(), lane()]);
  return killed;
}

describe.each(["before", "torn"] as const)("killed %s each step it takes on the file system", (mode) => {
  it.each([
    { calls: "one call open", concurrency: [1] },
    { calls: "several calls open", concurrency: [7, 64] },
  ])(
    "a run with $calls resumes to the bytes of an undisturbed one, every item once",
    { timeout: 300_000 },
    async ({ concurrency }) => {
      const reference = temporaryFolder();
      await runJob(reference);
      const expected = outputsOf(reference);
      const killed = await killAtEachStep({ mode, work: "run", concurrency }, async (dir, when) => {
        await runJob(dir, { concurrency: concurrency[0] });
        expect(outputsOf(dir), when).toEqual(expected);
        const counts = { total: itemCount, done: itemCount, written: itemCount - 2, dropped: 1, failed: 1 };
        expect((await runStatus(dir)).items, when).toEqual(counts);
        expect(leftovers(dir), when).toEqual([]);
      });
      expect(killed).toBeGreaterThan(mode === "before" ? 60 : 20);
    },
  );

  it("a retry of failed items loses nothing that was committed, and ends as an undisturbed one", {
    timeout: 300_000,
  }, async () => {
    const reference = temporaryFolder();
    await runJob(reference);
    const committed = outputsOf(reference);
    await retryJob(reference);
    const fixed = outputsOf(reference);
    expect(fixed["text"]).not.toBe(committed["text"]);
    const killed = await killAtEachStep({ mode, work: "retry", concurrency: [1, 7] }, async (dir, when) => {
      await runJob(dir);
      expect([committed, fixed], when).toContainEqual(outputsOf(dir));
      await retryJob(dir);
      expect(outputsOf(dir), when).toEqual(fixed);
      expect(leftovers(dir), when).toEqual([]);
    });
    expect(killed).toBeGreaterThan(mode === "before" ? 20 : 5);
  });
});
