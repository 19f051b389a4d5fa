import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orphanGuardScript } from "../../src/launchers/local/orphan-guard.ts";
import { emptyFolder, makeProject, type Project } from "../support/cli/project.ts";
import { contentOutside, describeTree, makeCanary } from "../support/hostile/canary.ts";
import { type CommandOrder, type CommandOutcome, CommandRunner } from "../support/hostile/command-runner.ts";
import { fieldMutations, kindOf, type Mutation, nameMutations, wholeMutations } from "../support/hostile/mutations.ts";
import { addJobRecord, makeTemplates, type TemplateRun } from "../support/hostile/template-runs.ts";
import { removeFolder } from "../support/remove-folder.ts";
import { seededRandom } from "../support/seeded-random.ts";

// A run folder that another user can write to, with every field of every file replaced in turn, against every command that looks
// or acts and every address of the dashboard. MILLRACE_HOSTILE=all runs every case, MILLRACE_HOSTILE=3/20 the third of twenty parts of
// them, and MILLRACE_HOSTILE=seed those of a seed for a moment.
const asked = process.env["MILLRACE_HOSTILE"] ?? "";
const [, part, parts] = /^(\d+)\/(\d+)$/.exec(asked === "all" ? "1/1" : asked)?.map(Number) ?? [];
const isLong = part !== undefined && parts !== undefined;
const seed = isLong ? 1 : /^\d+$/.test(asked) ? Number(asked) : Math.floor(Math.random() * 2 ** 31);
const forMs = isLong ? Number.POSITIVE_INFINITY : 10_000;

// However busy the machine is.
const minCases = 20;
// Most cases wait for a second look at something damaged.
const laneCount = isLong ? 10 : 4;
const foldersInTurn = 4;
// For commands that hang; a busy machine is slow.
const limitMs = 200_000;
const waitMs = 1500;
const maxGrownBytes = 500e6;
// Programs of schedulers and others that a run may call; of these runs' only those of Slurm are, for records of jobs.
const programs =
  "sbatch squeue scancel sacct scontrol sinfo qsub qstat qdel qalter qacct oarsub oarstat oardel bsub bjobs bkill bhist condor_submit condor_q condor_rm condor_history condor_qedit kubectl ssh scp rsync msub canceljob showq checkjob sh bash".split(
    " ",
  );

interface Action {
  readonly name: string;
  words(run: TemplateRun): readonly string[];
  readonly routes?: readonly (readonly [string, string])[];
  /** It waits for those who seem to be at work; then it is ended after a moment. */
  readonly mayWait?: true;
}

const reads = [
  ...["failures", "failures?offset=1&limit=2", "logs", "logs/w.log", "logs/w.log?from=-5", "logs/-x.log", "plan"],
  ...["shards/0", "shards/1", "shards/999999999", "events"],
].map((path) => ["GET", `/api/runs/ID/${path}`] as const);

const at = (name: string, ...words: string[]): Action => ({
  name: [name, ...words].join(" "),
  words: () => [name, "run", ...words],
});
const config = (name: string, ...words: string[]): Action => ({
  name: [name, ...words].join(" "),
  words: (run) => [name, ...words, ...run.words, "runner.output_dir=run"],
});
const dashboard = (name: string, routes: Action["routes"]): Action => ({
  name: `dashboard ${name}`,
  words: () => ["dashboard", ".", "--port", "0"],
  ...(routes === undefined ? {} : { routes }),
});
const posts = (["cancel", "drain"] as const).map((what) => ["POST", `/api/runs/ID/${what}`] as const);

/** Each is run with every change; of those in one list the changes take turns. */
const actions: readonly (readonly Action[])[] = [
  [at("status"), at("status", "--json")],
  [
    { ...at("list"), words: () => ["list", "."] },
    { ...at("list", "--json"), words: () => ["list", ".", "--json"] },
  ],
  [at("verify"), at("verify", "--json")],
  [at("logs"), at("logs", "--shard", "0"), at("logs", "--driver")],
  [at("report")],
  [config("plan")],
  [{ ...at("attach"), mayWait: true }, { ...at("cancel"), mayWait: true }, at("cancel", "--drain", "--no-wait")],
  [at("gc", "--logs", "--history")],
  [{ ...at("merge", "--files"), mayWait: true }],
  [{ ...at("retry"), mayWait: true }],
  [{ ...config("run"), mayWait: true }],
  [{ ...config("run", "--restart"), mayWait: true }],
  [dashboard("reads", reads), dashboard("reads", reads), dashboard("acts", posts)],
];

interface Case {
  readonly template: TemplateRun;
  readonly mutation: Mutation;
  readonly action: Action;
}

/** The calls of Slurm that a record of jobs may cause: nothing in it but ids. hostile-job-records.test.ts has the other schedulers. */
const slurmCalls =
  /^(squeue --noheader (--array --states=all --jobs=[\d,]+ --format=\S+|--me --states=all --format=%F\|%j --name=millrace-\w+)|scancel -- [\d ]+)$/;
/** The guard that a driver starts beside its worker processes: nothing in it comes from the folder. */
const orphanGuard = `sh -c ${orphanGuardScript}`;
const actsOnJobs = /^(cancel|retry|run|merge|dashboard acts)\b/;

/** A place for cases of its own, with canaries at every level above the run. */
interface Lane {
  readonly top: string;
  /** They take turns: claims remember for a moment which folders they have looked at. */
  readonly folders: readonly string[];
  turn: number;
  /** The case before: a program that it has started may still write down its call. */
  previous: Case | undefined;
  readonly calls: string;
  readonly runner: CommandRunner;
  before: string;
}

let project: Project;
let base: string;
let lanes: Lane[];
let templates: readonly TemplateRun[];

beforeAll(async () => {
  project = makeProject();
  base = emptyFolder();
  templates = await makeTemplates(project);
  lanes = Array.from({ length: laneCount }, (_, i) => makeLane(join(base, `lane-${i}`)));
}, 300_000);

afterAll(() => {
  for (const { runner } of lanes ?? []) runner.close();
});

function makeLane(top: string): Lane {
  const folders = Array.from({ length: foldersInTurn }, (_, i) => join(top, "a", "b", `c${i}`));
  for (const folder of folders) {
    mkdirSync(join(folder, "run"), { recursive: true });
    for (const name of ["job.yaml", "jobs.js", "node_modules"])
      cpSync(project.path(name), join(folder, name), { recursive: true, verbatimSymlinks: true });
    // The items that were held in the run that was killed are held no more.
    writeFileSync(join(folder, "never"), "");
  }
  for (const place of levels(top, folders)) makeCanary(join(place, "canary"));
  const calls = join(top, "calls");
  const standIns = join(top, "bin");
  mkdirSync(standIns);
  const record = `require("node:fs").appendFileSync(${JSON.stringify(calls)}, [require("node:path").basename(process.argv[1]), ...process.argv.slice(2)].join(" ") + "\\n");\n`;
  for (const name of programs) {
    writeFileSync(join(standIns, name), `#!${process.execPath}\n${record}`);
    chmodSync(join(standIns, name), 0o755);
  }
  const runner = new CommandRunner({ ...process.env, PATH: standIns, MILLRACE_DEBUG: "", NO_COLOR: "1" });
  const lane = { top, folders, turn: 0, previous: undefined, calls, runner, before: "" };
  lane.before = outside(lane);
  return lane;
}

function levels(top: string, folders: readonly string[]): string[] {
  return [top, join(top, "a"), join(top, "a", "b"), ...folders];
}

/** Everything that no command may change: all but the run itself. */
function outside({ top }: Pick<Lane, "top">): string {
  return describeTree(top, (name) => /^a\/b\/c\d\/run$|^calls$/.test(name))
    .filter((line) => !/^a\/b\/c\d /.test(line))
    .join("\n");
}

/** Runs one case; returns what is wrong with how it went. */
async function runCase(current: Case, lane: Lane): Promise<string[]> {
  const { template, mutation, action } = current;
  const { folders, calls, runner, previous } = lane;
  lane.previous = current;
  const folder = folders[lane.turn++ % folders.length]!;
  const runDir = join(folder, "run");
  await removeFolder(runDir);
  cpSync(template.dir, runDir, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  if (isOfJobs(mutation)) addJobRecord(runDir);
  const canary = join(folder, "canary");
  mutation.apply(runDir, canary);
  const order: CommandOrder = { words: action.words(template), cwd: folder, routes: action.routes };
  const began = performance.now();
  const done = await runner.run(order, action.mayWait === true ? mayWaitMs(mutation) : limitMs);
  const wrong = judge(done, { action, mutation, tookMs: performance.now() - began });
  const now = outside(lane);
  if (now !== lane.before) {
    const [before, after] = [lane.before.split("\n"), now.split("\n")];
    const changed = [
      ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
      ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ];
    wrong.push(`changed what is outside:\n${changed.slice(0, 10).join("\n")}`);
    // The next cases are judged by themselves.
    for (const place of levels(lane.top, folders)) {
      rmSync(join(place, "canary"), { recursive: true, force: true });
      makeCanary(join(place, "canary"));
    }
    lane.before = outside(lane);
  }
  if (existsSync(calls)) {
    const unexpected = readCalls(calls).filter(
      (call) => ![current, previous].some((one) => one !== undefined && isExpectedCall(call, one)),
    );
    if (unexpected.length > 0) wrong.push(`started programs: ${unexpected.join("\n")}`);
    rmSync(calls);
  }
  return wrong.map((what) => `${template.name}: ${mutation.name}: millrace ${action.name}: ${what}`);
}

function readCalls(file: string): string[] {
  const calls = readFileSync(file, "utf8").replaceAll(`${orphanGuard}\n`, "orphan guard\n");
  return calls.trimEnd().split("\n");
}

function isExpectedCall(call: string, { action: { name }, mutation }: Case): boolean {
  if (call === "orphan guard") return /^(retry|run)\b/.test(name);
  return isOfJobs(mutation) && slurmCalls.test(call) && (call.startsWith("squeue") || actsOnJobs.test(name));
}

/** What says that a worker is alive is believed: the command then waits, as it should. */
function mayWaitMs({ file }: Mutation): number {
  return /leases|workers|attempts|manifest|sight|jobs/.test(file) ? waitMs : limitMs;
}

function judge(
  { status, stdout, stderr, problem, answers, grownBytes }: CommandOutcome,
  { action, mutation, tookMs }: { action: Action; mutation: Mutation; tookMs: number },
): string[] {
  if (problem?.startsWith("did not come back") === true && action.mayWait && mayWaitMs(mutation) === waitMs) return [];
  if (problem !== undefined) return [`${problem} (${Math.round(tookMs)} ms)\n${stderr.slice(-500)}`];
  const wrong: string[] = [];
  const said = stdout + stderr;
  const stack =
    /(?:^|\W)(?:TypeError|RangeError|ReferenceError|SyntaxError)\b.*|\n {4}at .*|the dashboard failed at .*/.exec(
      stderr,
    );
  if (stack !== null)
    wrong.push(`an unexpected error: ${stderr.slice(Math.max(0, stack.index - 200), stack.index + 600)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal would obey
  if (action.name !== "logs" && /\u001b\]0/.test(said)) wrong.push("passed a command on to the terminal");
  const shown = [said, ...answers.map(({ text }) => text)].find((text) => text.includes(contentOutside));
  if (shown !== undefined) wrong.push(`showed a file from outside: ${aroundContent(shown)}`);
  if (![0, 1, 2, 3].includes(status)) wrong.push(`ended with ${status}`);
  if (status !== 0 && said.trim() === "") wrong.push(`ended with ${status} without a word`);
  if (grownBytes > maxGrownBytes) wrong.push(`took ${Math.round(grownBytes / 1e6)} MB`);
  for (const { method, path, status: code, text } of answers)
    if (code >= 500 && /failed at this|TypeError/.test(text))
      wrong.push(`${method} ${path} answered ${code} ${text.slice(0, 200)}`);
  return wrong;
}

function aroundContent(text: string): string {
  const at = text.indexOf(contentOutside);
  return text.slice(Math.max(0, at - 200), at + 100);
}

function isOfJobs({ file }: Mutation): boolean {
  return file.includes("/jobs/millrace-");
}

/** Every change to every kind of file, each in the first template that has one. */
function allCases(): Case[] {
  const seen = new Set<string>();
  return templates.flatMap((template) => {
    const withJobs = join(base, `${template.name}-jobs`);
    cpSync(template.dir, withJobs, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    addJobRecord(withJobs);
    const ofFiles = [...fieldMutations(withJobs), ...wholeMutations(withJobs)];
    const isNew = ({ file }: Mutation) =>
      !seen.has(`${kindOf(file)}${template.name === "listed" && file === "manifest.json"}`);
    const mutations = [...ofFiles.filter(isNew), ...nameMutations()];
    for (const { file } of ofFiles) seen.add(`${kindOf(file)}false`);
    return mutations.flatMap((mutation, i) =>
      actions.map((some) => ({ template, mutation, action: some[i % some.length]! })),
    );
  });
}

/** Plays the cases, in an order by chance, for as long as there is time. */
async function runAll(cases: readonly Case[]): Promise<{ done: number; wrong: string[] }> {
  const random = seededRandom(seed);
  const inOrder = cases.map((one) => [random(), one] as const).sort(([a], [b]) => a - b);
  const order = isLong ? inOrder.filter((_, i) => i % parts === part - 1) : inOrder;
  const count = order.length;
  const until = performance.now() + forMs;
  const wrong: string[] = [];
  let done = 0;
  const inTurn = async (lane: Lane) => {
    for (
      let next = order.pop();
      next !== undefined && (performance.now() < until || done < minCases);
      next = order.pop()
    ) {
      const found = await runCase(next[1], lane);
      wrong.push(...found);
      done++;
      if (isLong) for (const one of found) appendFileSync(join(tmpdir(), "hostile-run-folder.txt"), `${one}\n\n`);
      if (isLong && done % 100 === 0) process.stderr.write(`${done} of ${count} cases, ${wrong.length} wrong\n`);
    }
  };
  await Promise.all(lanes.map(inTurn));
  return { done, wrong };
}

describe("a run folder that another user has written to", () => {
  it(
    "never has a command act outside of it, hang, or fail with an unexpected error",
    async () => {
      const cases = allCases();
      const { done, wrong } = await runAll(cases);
      process.stderr.write(`hostile run folders: ${done} of ${cases.length} cases, seed ${seed}\n`);
      expect(wrong.slice(0, 20), `MILLRACE_HOSTILE=${seed} runs the same cases`).toEqual([]);
      expect(done).toBeGreaterThanOrEqual(minCases);
    },
    isLong ? 6 * 3_600_000 : 1_200_000,
  );
});
