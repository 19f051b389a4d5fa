import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { emptyFolder, makeProject, projectIn } from "../support/cli/project.ts";

/** What was typed, the exit code, and what the message says. */
type Mistake = readonly [words: readonly string[], status: number, message: RegExp];

const withoutProject: readonly Mistake[] = [
  [[], 2, /^Usage: millrace COMMAND/],
  [["statsu", "exp"], 2, /no command "statsu"\.\n {2}-> Did you mean status\?/],
  [["frobnicate"], 2, /no command "frobnicate"\.\n {2}-> millrace --help lists them/],
  [["--vresion"], 2, /Did you mean --version\?/],
  [["constructor"], 2, /no command "constructor"/],
  [["__proto__", "--help"], 2, /no command "__proto__"/],
  [["help", "lgos"], 2, /Did you mean logs\?/],
  [
    ["status", "exp", "--wacth"],
    2,
    /Unknown option '--wacth'; did you mean --watch\?\n {2}-> Usage: millrace status RUN/,
  ],
  [["status", "exp", "-x"], 2, /Unknown option '-x'/],
  [["status", "--json=yes", "exp"], 2, /'--json' does not take an argument/],
  [["status"], 2, /status needs RUN/],
  [["status", ""], 2, /RUN is empty/],
  [["status", "one", "two"], 2, /"two" is one argument too many/],
  [["run"], 2, /run needs CONFIG/],
  [["run", "a.yaml", "--limit"], 2, /--limit needs a value/],
  [["run", "a.yaml", "--limit", "--json"], 2, /--limit needs a value/],
  [["run", "a.yaml", "--limit", "0"], 2, /--limit is "0"; a whole number from 1/],
  [["run", "a.yaml", "--limit", "1e3"], 2, /a whole number from 1/],
  [["doctor", "--timeout", "soon"], 2, /--timeout is "soon"/],
  [["logs", "exp", "--shard", "1", "--worker", "w"], 2, /--shard and --worker exclude each other/],
  [["retry", "exp", "--failed", "--error", "x"], 2, /--failed and --error exclude each other/],
  [["retry", "exp", "--error", "("], 2, /--error: Invalid regular expression.*\n {2}-> /],
  [["completion", "powershell"], 2, /"powershell" is not bash, zsh or fish/],
  [["completion", "zhs"], 2, /did you mean zsh\?/],
  [["explain", "RUN_CHANGD"], 2, /no error code "RUN_CHANGD"; did you mean RUN_CHANGED\?/],
  [["explain", "frobnicate"], 2, /no error code "frobnicate"; millrace explain lists them/],
  [["init"], 2, /init needs DIR/],
  [["list", "nowhere"], 1, /There is no folder nowhere\.\n/],
  [["doctor", "nowhere"], 2, /no file or folder nowhere/],
  [["run", "nowhere.yaml"], 2, /nowhere\.yaml: There is no such file/],
  [["run", "."], 2, /folder/],
  // What a terminal would obey is shown, not sent to it.
  [["status", "\u001b[2J\u009b1m"], 1, /no run in \/.*\\u001b\[2J\\u009b1m/],
  [["status", "../$(touch pwned); '\"`"], 1, /no run in .*\$\(touch pwned\)/],
];

const config = (override: string): readonly string[] => ["run", "job.yaml", override];

const inProject: readonly Mistake[] = [
  [["list", "job.yaml"], 1, /job\.yaml is a file, not a folder\.\n/],
  [["init", "job.yaml"], 2, /job\.yaml is a file\.\n/],
  [
    ["run", "job.yaml", "~parallel", "+paralel={env: process, n_workers: 4}"],
    2,
    /override \+paralel=.*: paralel is not known, and looks like parallel\.\n {2}-> Write parallel\./,
  ],
  [config("parallel.env=proces"), 2, /parallel\.env is "proces".*\n {2}-> Did you mean process\?/],
  [config("++parallel={env: slurm, options: {nanny: true}}"), 2, /nanny is not taken: every worker is watched/],
  [
    config("++parallel={env: slurm, options: {quue: gpu}}"),
    2,
    /"quue" is not known to env slurm.*\n {2}-> Did you mean queue\?/,
  ],
  [config("parallel={env: ssh}"), 2, /env: ssh needs parallel\.options\.hosts/],
  [config("parallel.n_workers=0"), 2, /a whole number from 1 was expected/],
  [config("runner.shards=many"), 2, /runner\.shards is "many"; a whole number from 1/],
  [config("+runner.batch_szie=2"), 2, /Did you mean batch_size\?/],
  [config("+runner.shard_subdir=../../elsewhere"), 2, /stays inside output_dir/],
  [config("runner.output_dir="), 2, /runner\.output_dir is ""; a path was expected/],
  [config("~runner.output_dir"), 2, /runner\.output_dir is missing; a path was expected/],
  [config("~provider"), 2, /provider is missing/],
  [config("items=-1"), 2, /items is -1; a whole number from 0, a list/],
  [config("itmes=3"), 2, /no key itmes/],
  [config("=3"), 2, /override =3/],
  [config("items={_target_: ./jobs.js#nothing}"), 1, /run got undefined/],
  [config("runner._target_=./jobs.js#JobRuner"), 2, /has no export JobRuner.*\n {2}-> Did you mean JobRunner\?/],
  [
    config("runner._target_=./jobs.js#JobProvider"),
    2,
    /override runner\._target_=.*: \.\/jobs\.js#JobProvider gave a JobProvider, not a runner/,
  ],
  [config("provider._target_=./jobs.js#nothing"), 2, /gave undefined, not a provider/],
  [config("provider._target_=./jobs.js#Unmade"), 2, /failed: the disk is on strike/],
  [config("provider._target_=./job.js#JobProvider"), 2, /no file .*job\.js\.\n {2}-> Did you mean \.\/jobs\.js\?/],
  [["run", "jbo.yaml"], 2, /no such file\.\n {2}-> Did you mean job\.yaml\?/],
  [config("provider._target_=../../../etc/passwd#x"), 2, /outside of the project/],
  [config("provider._target_=node:child_process#execSync"), 2, /cannot be used/],
  [config("++provider._args_=[1]"), 2, /provider\._args_ has no meaning here/],
];

describe.concurrent("a mistake", () => {
  // Nothing is made by any of them, so they need no place of their own.
  const outside = projectIn(emptyFolder());
  const inside = makeProject();

  it.for(withoutProject)("%j ends with %d and one message", async ([words, status, message]) => {
    expectMessage(await outside.run(...words), status, message);
    expect(outside.names("")).toEqual([]);
  });

  it.for(inProject)("%j in a config ends with %d and one message", async ([words, status, message]) => {
    expectMessage(await inside.run(...words), status, message);
    expect(inside.names("")).not.toContain("exp");
  });

  const needsRun = ["status", "attach", "logs", "worker", "cancel", "retry", "merge", "verify", "gc", "doctor"];

  it.each(needsRun)("%s says that a folder holds no run", async (name) => {
    expectMessage(await projectIn(emptyFolder()).run(name, "."), 1, /There is no run in .*\n {2}-> Name the folder/);
  });

  it("in a config is reported with its line, without a stack", async () => {
    const project = makeProject();
    writeFileSync(project.path("a.yaml"), "provider:\n\t_target_: x\n");
    expectMessage(await project.run("run", "a.yaml"), 2, /a\.yaml:2:1: /);
    mkdirSync(project.path("b.yaml"));
    expectMessage(await project.run("run", "b.yaml"), 2, /b\.yaml: This is a folder/);
    chmodSync(project.path("a.yaml"), 0);
    // Root may read everything.
    if (process.getuid?.() !== 0)
      expectMessage(await project.run("run", "a.yaml"), 2, /a\.yaml: The file cannot be read/);
  });

  it("among the options of an env is reported with its line, together with all others there", async () => {
    const project = makeProject();
    const write = (env: string, ...options: string[]) => {
      const job = project.text("job.yaml").replace("env: local", `env: ${env}`);
      const lines = options.map((option) => `\n    ${option}`).join("");
      writeFileSync(project.path("a.yaml"), lines === "" ? job : `${job}  options:${lines}\n`);
      return job.split("\n").length;
    };
    const first = 1 + write("slurm", 'waltime: "1:00:00"', "cores: two", "partition: gpu");
    const { status, stderr } = await project.run("run", "a.yaml");
    expect({ status, lines: stderr.split("\n").slice(0, 4) }).toEqual({
      status: 2,
      lines: [
        expect.stringContaining(`a.yaml:${first}:5: parallel.options: "waltime" is not known to env slurm. Did you`),
        expect.stringContaining(`a.yaml:${first + 1}:5: parallel.options.cores is "two"; a whole number from 1`),
        expect.stringContaining(`a.yaml:${first + 2}:5: parallel.options.partition is not taken: it is called queue.`),
        expect.stringMatching(/^ {2}-> .* change all of them/),
      ],
    });
    write("process", "threads_per_worker: 0", "max_heap: 1");
    expect((await project.run("run", "a.yaml")).stderr).toMatch(
      /a\.yaml:\d+:5: parallel\.options\.threads_per_worker is 0.*\na\.yaml:\d+:5: parallel\.options: "max_heap" is not known/,
    );
    write("htcondor", "memory: 1GB", "queue: gpu");
    expectMessage(await project.run("plan", "a.yaml"), 2, /a\.yaml:\d+:5: parallel\.options\.queue is not taken: HTC/);
    const end = write("ssh");
    expectMessage(await project.run("plan", "a.yaml"), 2, new RegExp(`a\\.yaml:${end - 3}:1: env: ssh needs`));
  });

  it("of the kind of a target is reported with its line", async () => {
    const project = makeProject();
    writeFileSync(project.path("a.yaml"), project.text("job.yaml").replace("#JobProvider", "#nothing"));
    expectMessage(
      await project.run("run", "a.yaml"),
      2,
      /a\.yaml:10:3: \.\/jobs\.js#nothing gave undefined, not a provider/,
    );
  });

  it("in the name of a section is warned of with its line, for the key may be the provider's own", async () => {
    const project = makeProject();
    const job = project.text("job.yaml");
    writeFileSync(project.path("near.yaml"), `${job}item: 3\nparalel: {env: process, n_workers: 4}\n`);
    const { status, stdout, stderr } = await project.run("plan", "near.yaml");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/items {4}20 .*\n.*\n.*1 \(local\)/),
    });
    const line = job.split("\n").length;
    expect(stderr.split("\n").filter((words) => words !== "")).toEqual([
      `millrace: warning: near.yaml:${line}:1: item counts as a key of the provider.`,
      expect.stringMatching(/^ {2}-> Did you mean items\? If not, rename it or move it to provider\.params/),
      `millrace: warning: near.yaml:${line + 1}:1: paralel counts as a key of the provider.`,
      expect.stringMatching(/^ {2}-> Did you mean parallel\?/),
    ]);
    expect((await project.run("plan", "job.yaml", "+model=3", "+dataset=x")).stderr).toBe("");
  });

  it("of the user's code is reported with its line, and with the option to skip it as a command takes it", async () => {
    const project = makeProject();
    const { stderr } = await project.run("run", "job.yaml", "fails=[0]", "runner.on_error=fail");
    expect(stderr).toMatch(/time is out at 0\n {2}in jobs\.js:\d+:\d+\n {2}-> .*\+\+runner\.on_error=skip/);
  });

  it("that keeps a file from being parsed is reported with the command that shows its line", async () => {
    const project = makeProject();
    writeFileSync(project.path("broken.js"), "export const fine = 1;\nretrun fine;\n");
    const { stderr } = await project.run("run", "job.yaml", "runner._target_=./broken.js#JobRunner");
    expect(stderr).toMatch(/cannot be imported: .*\n {2}-> node --check broken\.js shows the line/);
    writeFileSync(project.path("alone.js"), 'import "not-there";\n');
    const alone = await project.run("run", "job.yaml", "runner._target_=./alone.js#JobRunner");
    expect(alone.stderr).toMatch(/Cannot find package 'not-there'.*\n {2}-> Run npm install not-there\.\n/);
  });

  it("of the user's code is reported with its stack on demand", async () => {
    const project = makeProject();
    const words = ["run", "job.yaml", "fails=[0]", "runner.on_error=fail"];
    const { status, stderr } = await project.start(words, { MILLRACE_DEBUG: "1" }).ended;
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/time is out at 0\n\s+at .*jobs\.js/),
    });
  });
});

describe.concurrent("help", () => {
  it("lists every command, on stdout", async () => {
    const outside = projectIn(emptyFolder());
    const { status, stdout } = await outside.run("--help");
    expect(status).toBe(0);
    for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, "m"));
    expect(await outside.run("help")).toMatchObject({ status: 0, stdout });
    expect((await outside.run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("comes before anything else is looked at, also by the name of the command", async () => {
    const outside = projectIn(emptyFolder());
    const { status, stdout } = await outside.run("run", "--limit", "x", "--help");
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: millrace run CONFIG/) });
    expect((await outside.run("help", "run")).stdout).toBe(stdout);
  });

  it("is quiet when its reader has seen enough", async () => {
    const outside = projectIn(emptyFolder());
    const help = outside.start(["--help"]);
    help.child.stdout!.destroy();
    expect(await help.ended).toMatchObject({ status: 0, stderr: "" });
  });
});

describe.concurrent("explain", () => {
  it("prints the page of a code as it is in a message, in brackets or in small letters", async () => {
    const outside = projectIn(emptyFolder());
    const page = await outside.run("explain", "BAD_OPTION");
    expect(page).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^# BAD_OPTION\n[\s\S]*## What to do/),
    });
    expect(await outside.run("explain", "[bad-option]")).toEqual(page);
  });

  it("lists all codes with what they mean, one a line", async () => {
    const { stdout } = await projectIn(emptyFolder()).run("explain");
    for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^[A-Z_]+ +[A-Z`].*\.$/);
    expect(stdout).toMatch(/^RUN_STOPPED +The run was asked to stop/m);
  });

  it("is what every message leads to", async () => {
    const { stderr } = await projectIn(emptyFolder()).run("status", "nowhere");
    expect(stderr).toMatch(/\n {2}\[millrace explain RUN_NOT_FOUND\]\n$/);
  });
});

/** One message on stderr that says what and nothing of the program's inside. */
function expectMessage(
  { status, stdout, stderr }: Awaited<ReturnType<ReturnType<typeof projectIn>["run"]>>,
  code: number,
  message: RegExp,
): void {
  expect(stderr).toMatch(message);
  expect({ status, stdout }).toEqual({ status: code, stdout: "" });
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain("\u001b");
  expect(stderr.match(/^millrace: /gm) ?? []).toHaveLength(stderr.startsWith("Usage") ? 0 : 1);
}
