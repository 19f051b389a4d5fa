// Records of submissions that another user has written into a run folder, against every command and the dashboard. Stand-ins
// for the schedulers' programs note how they were called.
import { spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { addresses, type RunCard } from "../../src/dashboard/run-view.ts";
import { type RunPaths, runPaths } from "../../src/run-folder/files/run-paths.ts";
import { atTheEnd, emptyFolder } from "../support/cli/project.ts";
import { clientOf } from "../support/dashboard-client.ts";
import { type Ended, ended } from "../support/ended.ts";
import { honestIds, honestRecord, hostileFields, hostileIds, hostileNames } from "../support/hostile-job-records.ts";
import { commitByHand, makeRun } from "../support/made-run.ts";
import { recordingPrograms } from "../support/recording-programs.ts";

const cli = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));
const clusterRun = fileURLToPath(new URL("../fixtures/children/cluster-run.mjs", import.meta.url));

type Env = keyof typeof honestIds;
const envs = Object.keys(honestIds) as Env[];
const good = "millrace-good01";
const stranger = 54_321;
const isRoot = process.geteuid?.() === 0;

const ads =
  "ClusterId,ProcId,JobStatus,RemoteHost,LastRemoteHost,HoldReason,RemoveReason,ExitBySignal,ExitCode,ExitSignal";
/** Every question about the honest submission that a look may ask. */
const questions: Readonly<Record<Env, readonly string[]>> = {
  slurm: ["squeue --noheader --array --states=all --jobs=4711 --format=%F|%K|%T|%N|%r"],
  pbs: ["qstat -f -t 4711[].server", "qstat -x -f -t 4711[].server"],
  sge: ["qstat -xml", "qacct -j 4711"],
  lsf: ["bjobs -noheader -o jobid jobindex stat exit_code exec_host exit_reason delimiter='|' 4711"],
  htcondor: [`condor_q -json -attributes ${ads} 4711`, `condor_history -json -attributes ${ads} 4711`],
  oar: ["oarstat -f -J --sql array_id IN (4711)"],
  moab: ["showq --xml", "showq -c --xml"],
  kube: [`kubectl get jobs,pods -l millrace-job in (${good}) -o json`],
};
/** The one call that cancels it. */
const cancels: Readonly<Record<Env, string>> = {
  slurm: "scancel -- 4711",
  pbs: "qdel 4711[].server",
  sge: "qdel 4711",
  lsf: "bkill 4711",
  htcondor: "condor_rm 4711",
  oar: "oardel --array -- 4711",
  moab: "canceljob Moab.4711",
  kube: `kubectl delete jobs --wait=false --ignore-not-found -- ${good}`,
};
/** What a driver asks before it submits; nothing of it comes from the folder. */
const limits = [
  "scontrol show config",
  "qstat -B -f",
  "qconf -sconf",
  "bparams -a",
  "condor_config_val MAX_JOBS_PER_SUBMISSION",
];

/** A run whose folder holds one honest record and every hostile one, beside a folder that must stay as it is. */
function hostileRun(env: Env, records: readonly (readonly [file: string, record: unknown])[] = everyRecord(env)) {
  const folder = emptyFolder();
  const canary = join(folder, "canary");
  mkdirSync(canary);
  writeFileSync(join(canary, "precious.json"), "precious\n");
  writeFileSync(join(canary, "precious.0.json"), "precious\n");
  const paths = makeRun(join(folder, "runs", "run"), 2);
  mkdirSync(paths.jobs);
  put(paths, `${good}.json`, honestRecord(good, env, honestIds[env]));
  for (const [file, record] of records) put(paths, file, record);
  const { environment, takeCalls } = recordingPrograms(folder);
  const millrace = (words: readonly string[]): Promise<Ended> =>
    ended(
      spawn(process.execPath, [cli, ...words], { env: environment, cwd: folder, stdio: ["ignore", "pipe", "pipe"] }),
    );
  return { folder, canary, paths, environment, millrace, calls: () => takeCalls().map((words) => words.join(" ")) };
}

function put({ job }: RunPaths, file: string, record: unknown): void {
  writeFileSync(job(file), typeof record === "string" ? record : JSON.stringify(record));
}

function everyRecord(env: Env): [string, unknown][] {
  const honest = (name: string) => honestRecord(name, env, honestIds[env]);
  let count = 0;
  const next = () => `h${(count++).toString().padStart(3, "0")}`;
  return [
    ...hostileNames.map((name): [string, unknown] => [`${next()}.json`, { ...honest("h"), name }]),
    ...hostileIds.map((id): [string, unknown] => {
      const name = next();
      return [`${name}.json`, { ...honest(name), id }];
    }),
    ...Object.entries(hostileFields).flatMap(([field, values]) =>
      values.map((value): [string, unknown] => {
        const name = next();
        return [`${name}.json`, { ...honest(name), id: "9999", [field]: value }];
      }),
    ),
    // One that is to be looked for and cancelled, whichever process looks.
    ["h-late.json", { ...honest("../../../canary/precious"), id: undefined, isUnwanted: true }],
    ["--all.json", honest("--all")],
    ["a'b.json", honest("a'b")],
    ["torn.json", '{"version":1,"na'],
    ["list.json", "[]"],
    ["null.json", "null"],
    ["deep.json", `${"[".repeat(100_000)}`],
  ];
}

/** Every file below a folder with what is in it. */
function contentOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => [name, lstatSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "utf8") : ""]),
  );
}

async function openedDashboard({ paths, environment }: ReturnType<typeof hostileRun>) {
  const child = spawn(process.execPath, [cli, "dashboard", join(paths.root, ".."), "--port", "0"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += String(chunk);
      const [, found] = /http:\/\/[^\s:]+:(\d+)/.exec(said) ?? [];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => reject(new Error(`the dashboard ended: ${said}`)));
  });
  const client = clientOf({ port }, atTheEnd);
  const [card] = (await client.ask(addresses.runs)).json<[RunCard]>();
  return {
    ...client,
    id: card.id,
    async close() {
      child.removeAllListeners("exit");
      child.kill();
      await new Promise((resolve) => child.once("close", resolve));
    },
  };
}

describe.concurrent.each(envs)("hostile records of jobs of %s", { timeout: 240_000 }, (env) => {
  it("change and cancel nothing when the run is looked at, and each is shown with what is wrong with it", async () => {
    const run = hostileRun(env);
    // As left by a user who has submitted jobs: a command that reads the run then asks the scheduler.
    put(run.paths, "sight", { env, pending: 1, running: 0, lost: 0 });
    const before = [contentOf(run.canary), contentOf(run.paths.jobs)];
    for (const words of [
      ["status", run.paths.root],
      ["status", run.paths.root, "--json"],
      ["list", run.folder],
      ["verify", run.paths.root],
      ["logs", run.paths.root],
      ["report", run.paths.root, "--out", join(run.folder, "report.html")],
    ]) {
      const { code, stdout, stderr } = await run.millrace(words);
      expect([words[0], code, stderr]).toEqual([words[0], 0, expect.not.stringContaining("Error")]);
      expect(run.calls().filter((call) => !questions[env].includes(call))).toEqual([]);
      expect([contentOf(run.canary), contentOf(run.paths.jobs)]).toEqual(before);
      if (words.includes("--json") || words[0] !== "status") continue;
      const rows = stdout.split("\n").filter((line) => line.includes("is ignored"));
      const files = everyRecord(env).map(([file]) => file);
      expect(files.filter((file) => !rows.some((row) => row.includes(file)))).toEqual([]);
      expect(rows.some((row) => row.includes(good))).toBe(false);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    }
  });

  it("change and cancel nothing when the dashboard shows the run", async () => {
    const run = hostileRun(env);
    put(run.paths, "sight", { env, pending: 1, running: 0, lost: 0 });
    const before = [contentOf(run.canary), contentOf(run.paths.jobs)];
    const dashboard = await openedDashboard(run);
    const { id, ask } = dashboard;
    const calls: string[] = [];
    try {
      for (const path of [
        addresses.failures(id, 0, 10),
        addresses.logs(id),
        addresses.plan(id),
        addresses.shard(id, 0),
      ])
        await ask(path);
      // Until its scheduler was asked, which happens beside the answers.
      const untilMs = Date.now() + 60_000;
      while (calls.length === 0 && Date.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, 600));
        await ask(addresses.runs);
        calls.push(...run.calls());
      }
      const page = dashboard.follow(addresses.stream(id));
      await expect
        .poll(() => page.now?.overview.jobProblems?.some((problem) => problem.includes("h-late.json")))
        .toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      calls.push(...run.calls());
    } finally {
      await dashboard.close();
    }
    expect(calls).toContain(questions[env][0]);
    expect(calls.filter((call) => !questions[env].includes(call))).toEqual([]);
    expect([contentOf(run.canary), contentOf(run.paths.jobs)]).toEqual(before);
  });

  it("reach no program when the run is cancelled: only the honest job is", async () => {
    const run = hostileRun(env);
    const before = contentOf(run.canary);
    const { stderr } = await run.millrace(["cancel", run.paths.root]);
    const calls = run.calls();
    expect(calls).toContain(cancels[env]);
    expect(calls.filter((call) => call !== cancels[env] && !questions[env].includes(call))).toEqual([]);
    expect(contentOf(run.canary)).toEqual(before);
    expect(stderr).toContain("h-late.json");
    expect(existsSync(join(run.folder, "hostile"))).toBe(false);
  });

  it("reach no program when the run is attached to, retried or continued", async () => {
    const run = hostileRun(env);
    const before = contentOf(run.canary);
    for (const words of [
      ["attach", run.paths.root],
      ["retry", run.paths.root],
    ]) {
      await run.millrace(words);
      expect(run.calls().filter((call) => !questions[env].includes(call))).toEqual([]);
    }
    const where = env === "kube" ? { image: "i", volume_claim: "v", mount_path: "/" } : {};
    const outputDir = join(run.folder, "driven");
    const options = { outputDir, shards: 2, parallel: { env, n_workers: 1, options: where } };
    const jobs = runPaths(outputDir).jobs;
    mkdirSync(jobs, { recursive: true });
    for (const file of readdirSync(run.paths.jobs)) writeFileSync(join(jobs, file), readFileSync(run.paths.job(file)));
    const order = { count: 4, act: "run", config: { notes: run.folder, itemMs: 0 }, options };
    const driver = spawn(process.execPath, [clusterRun, JSON.stringify(order)], {
      env: run.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect((await ended(driver)).stderr).toContain("there is no such queue");
    const calls = run.calls();
    const isSubmission = (call: string) => /^(sbatch|[qmb]sub|oarsub|condor_submit|kubectl create)\b/.test(call);
    expect(calls.filter(isSubmission)).toHaveLength(1);
    expect(
      calls.filter((call) => !isSubmission(call) && !limits.includes(call) && !questions[env].includes(call)),
    ).toEqual([]);
    expect(contentOf(run.canary)).toEqual(before);
  });

  it.skipIf(!isRoot)("of another user are shown and not cancelled (needs root, to give files away)", async () => {
    const run = hostileRun(env, []);
    chownSync(run.paths.job(`${good}.json`), stranger, stranger);
    const before = contentOf(run.paths.jobs);
    await run.millrace(["status", run.paths.root]);
    expect(run.calls()).toContain(questions[env][0]);
    const { code, stderr } = await run.millrace(["cancel", run.paths.root]);
    expect(run.calls().filter((call) => !questions[env].includes(call))).toEqual([]);
    expect(stderr).toMatch(new RegExp(`${good}[^\\n]*user 54321`));
    expect(stderr).toContain("millrace cancel");
    expect(code).toBe(1);
    expect(contentOf(run.paths.jobs)).toEqual(before);
  });
});

describe.concurrent("records of jobs that are no plain files of the caller's", { timeout: 120_000 }, () => {
  it.skipIf(!isRoot)(
    "that may be written by others are not acted on (needs root, to see that it is no matter of rights)",
    async () => {
      const run = hostileRun("slurm", []);
      spawnSync("chmod", ["666", run.paths.job(`${good}.json`)]);
      const { stderr } = await run.millrace(["cancel", run.paths.root]);
      expect(run.calls().filter((call) => call.startsWith("scancel"))).toEqual([]);
      expect(stderr).toContain("chmod");
    },
  );

  it("that are links to records of another run are ignored", async () => {
    const run = hostileRun("slurm", []);
    const other = makeRun(join(run.folder, "other"), 2);
    mkdirSync(other.jobs);
    put(other, "millrace-other1.json", honestRecord("millrace-other1", "slurm", "5555"));
    symlinkSync(other.job("millrace-other1.json"), run.paths.job("millrace-other1.json"));
    const { stdout } = await run.millrace(["status", run.paths.root]);
    expect(stdout).toMatch(/millrace-other1\.json is ignored/);
    await run.millrace(["cancel", run.paths.root]);
    expect(run.calls().join("\n")).not.toContain("5555");
  });

  it.skipIf(!isRoot)(
    "in a folder that is another user's link to another run's are not acted on (needs root, to give a link away)",
    async () => {
      const run = hostileRun("slurm", []);
      const hostile = makeRun(join(run.folder, "hostile-run"), 2);
      symlinkSync(run.paths.jobs, hostile.jobs);
      spawnSync("chown", ["-h", String(stranger), hostile.jobs]);
      const before = contentOf(run.paths.jobs);
      expect((await run.millrace(["cancel", hostile.root])).code).not.toBe(0);
      expect(run.calls().filter((call) => call.startsWith("scancel"))).toEqual([]);
      expect(contentOf(run.paths.jobs)).toEqual(before);
    },
  );

  it.skipIf(process.platform === "win32")(
    "that are pipes or endless do not keep a look waiting (no pipes on Windows)",
    async () => {
      const run = hostileRun("slurm", []);
      spawnSync("mkfifo", [run.paths.job("pipe.json"), run.paths.job("sight"), run.paths.job(`${good}.0.json`)]);
      symlinkSync("/dev/zero", run.paths.job("zero.json"));
      put(run.paths, "large.json", "[".repeat(50 << 20));
      const { code, stdout } = await run.millrace(["status", run.paths.root]);
      expect(code).toBe(0);
      for (const name of ["pipe.json", "zero.json", "large.json"]) expect(stdout).toContain(`${name} is ignored`);
    },
  );

  it.skipIf(!isRoot)(
    "do not say where to ask if they are another user's (needs root, to give files away)",
    async () => {
      const run = hostileRun("kube", []);
      const record = { ...honestRecord(good, "kube", good), own: { context: "evil", namespace: "theirs" } };
      put(run.paths, `${good}.json`, record);
      await run.millrace(["status", run.paths.root]);
      expect(run.calls().every((call) => call.startsWith("kubectl --context=evil --namespace=theirs get "))).toBe(true);
      chownSync(run.paths.job(`${good}.json`), stranger, stranger);
      const { stdout } = await run.millrace(["status", run.paths.root]);
      expect(stdout).toMatch(/millrace-good01\.json[^\n]*is not asked for/);
      await run.millrace(["cancel", run.paths.root]);
      expect(run.calls()).toEqual([]);
    },
  );
});

describe("a spec that another user has written", { timeout: 300_000 }, () => {
  it.skipIf(!isRoot)(
    "runs no code when the run is retried or merged, unless it is trusted (needs root, to give files away)",
    async () => {
      const run = hostileRun("slurm", []);
      const { spec } = run.paths;
      for (const shard of [0, 1]) commitByHand(run.paths, shard, 1);
      const ran = join(run.canary, "ran");
      const module = join(run.folder, "hostile.mjs");
      writeFileSync(module, `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");`);
      const said = JSON.parse(readFileSync(spec, "utf8")) as { runner: { module: string } };
      writeFileSync(spec, JSON.stringify({ ...said, runner: { ...said.runner, module: pathToFileURL(module).href } }));
      chownSync(spec, stranger, stranger);
      for (const command of ["retry", "merge"]) {
        const { code, stderr } = await run.millrace([command, run.paths.root]);
        expect([command, code]).toEqual([command, 2]);
        expect(stderr).toMatch(/spec\.json belongs to another user \(54321\)[\s\S]*--trust[\s\S]*NOT_TRUSTED/);
        expect(existsSync(ran)).toBe(false);
      }
      // What the dashboard would do for a page is the same command.
      const dashboard = await openedDashboard(run);
      try {
        const { text } = await dashboard.post(addresses.act(dashboard.id, "retry"));
        expect(text).toContain("belongs to another user (54321)");
      } finally {
        await dashboard.close();
      }
      expect(existsSync(ran)).toBe(false);
      await run.millrace(["retry", run.paths.root, "--trust"]);
      expect(existsSync(ran)).toBe(true);
    },
  );
});
