import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repository } from "../support/cli/project.ts";

const { MILLRACE_RUNTIMES: cache } = process.env;

// The runtimes are large, and all of them take minutes: `npm run test:runtimes` fetches and runs them.
it.skipIf(cache === undefined)("every runtime of MILLRACE_RUNTIMES runs all jobs", { timeout: 1_800_000 }, () => {
  const script = join(repository, "scripts", "runtimes.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/, 0 failed$/m);
});
