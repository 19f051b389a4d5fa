import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFailures, runStatus } from "millrace";
import { beforeAll, describe, expect, it } from "vitest";
import { removeFolder } from "../support/remove-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const child = (name: string) => fileURLToPath(new URL(`../fixtures/children/${name}`, import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

function runJob(dir: string, args: readonly string[], trouble: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import ${child("unsteady-files.mjs")}`,
    UNSTEADY_UNDER: dir,
    ...trouble,
  };
  const run = spawn(process.execPath, [child("unsteady-job.mjs"), dir, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  run.stderr.on("data", (text) => (stderr += text));
  return new Promise((resolve) => run.on("close", (code) => resolve({ code, stderr })));
}

async function outcomeOf(dir: string) {
  const { state, items } = await runStatus(dir);
  return {
    state,
    items,
    records: readFileSync(join(dir, "records.jsonl"), "utf8"),
    failures: [...readFailures(dir)].map(({ item, error }) => ({ item, error })),
    left: ["leases", "attempts"].flatMap((folder) => readdirSync(join(dir, ".millrace", folder))),
  };
}

let expected: Awaited<ReturnType<typeof outcomeOf>>;
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), "millrace-test-"));
  expect(await runJob(dir, ["local", "1", "1"])).toMatchObject({ code: 0 });
  expected = await outcomeOf(dir);
  removeFolder(dir);
  expect(expected).toMatchObject({ state: "complete with failures", items: { total: 300 }, left: [] });
});

const envs = [
  { how: "in one process", args: ["local", "1", "1"] },
  { how: "in worker processes", args: ["process", "2", "1"] },
  { how: "in threads", args: ["thread", "2", "1"] },
  { how: "with many calls open", args: ["process", "2", "8"] },
] as const;

const passing = { UNSTEADY_ERRORS: "EIO,ESTALE,ETIMEDOUT,EREMOTEIO,EBUSY", UNSTEADY_SHARE: "0.03" };

describe("a file system that fails now and then", () => {
  it.each(envs)("costs time, not the run, $how", { timeout: 200_000 }, async ({ args }) => {
    const dir = temporaryFolder();
    const { code, stderr } = await runJob(dir, args, passing);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/WORKER_CRASHED|another one takes its place|Unknown system error/);
    expect(await outcomeOf(dir)).toEqual(expected);
  });

  it.each(envs)(
    "that loses every tenth answer costs time, not the run, $how",
    { timeout: 200_000 },
    async ({ args }) => {
      const dir = temporaryFolder();
      const { code, stderr } = await runJob(dir, args, { UNSTEADY_LOST: "0.1" });
      expect(code, stderr).toBe(0);
      expect(stderr).not.toMatch(/WORKER_CRASHED|another one takes its place/);
      expect(await outcomeOf(dir)).toEqual(expected);
    },
  );

  it("that fails permanently ends the run with the call, the path, the file system and what to do", {
    timeout: 200_000,
  }, async () => {
    for (const { args } of envs.slice(1, 3)) {
      const dir = temporaryFolder();
      const { code, stderr } = await runJob(dir, args, { UNSTEADY_ERRORS: "ESTALE", UNSTEADY_SHARE: "1" });
      expect(code).toBe(1);
      expect(stderr).toMatch(/The file system failed at .*: \w+ failed with ESTALE, .* \(nfs4 mounted at \/.*\)\./);
      expect(stderr).toContain("STORE_IO");
      expect(stderr).not.toMatch(/WORKER_CRASHED|the code that ran/);
    }
  });
});
