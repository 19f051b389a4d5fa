import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { schedulers } from "../../../../src/launchers/choose-scheduler.ts";
import { checkJobOptions } from "../../../../src/launchers/jobs/job-options.ts";
import { openJobQueue } from "../../../../src/launchers/jobs/open-job-queue.ts";
import { runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import { isNodeName } from "../../../../src/run-folder/jobs/check-submission.ts";
import { readSubmissions } from "../../../../src/run-folder/jobs/job-records.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const hostile = ["n1\ntouch pwned", "n1\rtouch pwned", "n1\n#SBATCH --uid=0", "n1\u0000"];
const withDirectives = schedulers.filter(({ env, canExclude }) => canExclude && env !== "kube");

it.each(withDirectives.map((scheduler) => [scheduler.env, scheduler] as const))(
  "a directive of %s with a line break is refused, wherever it comes from",
  (_env, scheduler) => {
    const job = sampleJob(scheduler.env, "plain");
    for (const node of hostile) expect(() => scheduler.render({ ...job, excluded: [node] })).toThrow("not one line");
    expect(scheduler.render({ ...job, excluded: ["n1", "gpu-2.example.org"] })).toContain("gpu-2.example.org");
  },
);

it("nodes have names of letters, digits, dots, dashes and underscores", () => {
  for (const name of ["n1", "gpu-2.example.org", "node_3", "10.0.0.7", "ip-10-0-0-7"])
    expect(isNodeName(name)).toBe(true);
  for (const name of [
    ...hostile,
    "",
    "-n1",
    ".n1",
    "n1 n2",
    "n1,n2",
    "n1'",
    'n1"',
    "n[1-9]",
    "!n1",
    "$(x)",
    "x".repeat(300),
  ])
    expect(isNodeName(name)).toBe(false);
});

it.skipIf(process.platform === "win32")(
  "a node with another name is not left out, which is said; the others are (no shell on Windows)",
  async () => {
    const folder = temporaryFolder();
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const [program, text] of [
      ["sbatch", "echo 77"],
      ["scontrol", "echo MaxArraySize = 100"],
    ] as const) {
      writeFileSync(join(bin, program), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, program), 0o755);
    }
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      write.mockRestore();
    });
    const slurm = schedulers.find(({ env }) => env === "slurm")!;
    const paths = runPaths(join(folder, "run"));
    mkdirSync(paths.root);
    const queue = openJobQueue(paths, slurm, checkJobOptions({ env: "slurm", nWorkers: 1, options: {} }, slurm));
    const [made] = await queue.submit(1, ["n1", "n2\ntouch pwned", "$(touch pwned)"]);
    expect(made).toMatchObject({ id: "77" });
    expect(readSubmissions(paths)).toMatchObject([{ id: "77" }]);
    const script = readFileSync(paths.job(`${made!.name}.job`), "utf8");
    expect(script).toContain("#SBATCH --exclude=n1\n");
    expect(script).not.toContain("pwned");
    expect(said.join("")).toContain('"n2\\ntouch pwned" cannot be excluded');
  },
);
