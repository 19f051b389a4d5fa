import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runPaths } from "../../src/run-folder/files/run-paths.ts";
import { emptyFolder, makeProject, type Project, repository } from "../support/cli/project.ts";

/** Code that leaves a file behind when it is imported, and another when it is called. */
const canary = `import { writeFileSync } from "node:fs";
import { JobProvider, JobRunner } from "./jobs.js";
writeFileSync(new URL("imported", import.meta.url), "");
const called = () => writeFileSync(new URL("called", import.meta.url), "");
export class Provider extends JobProvider { constructor(...all) { super(...all); called(); } }
export class Runner extends JobRunner { constructor(...all) { super(...all); called(); } }
export function items() { called(); return 7; }
`;

function canaryProject(): Project {
  const project = makeProject();
  const write = (name: string, text: string) => writeFileSync(project.path(name), text);
  write("canary.js", canary);
  write(
    "millrace.setup.js",
    `import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("set-up", import.meta.url), "");\n`,
  );
  write(
    "canary.yaml",
    project
      .text("job.yaml")
      .replace("./jobs.js#JobProvider", "./canary.js#Provider")
      .replace("./jobs.js#JobRunner", "./canary.js#Runner")
      .replace("items: 20", "items: { _target_: ./canary.js#items }"),
  );
  return project;
}

const traces = (project: Project) => ["imported", "called", "set-up"].filter((name) => existsSync(project.path(name)));

describe.concurrent("looking at a config", () => {
  it.each([
    ["plan", "canary.yaml"],
    ["plan", "canary.yaml", "--json"],
    ["doctor", "canary.yaml"],
    ["plan", "canary.yaml", "~items"],
  ])("runs none of its code: %s %s %s", async (...words) => {
    const project = canaryProject();
    const { status } = await project.run(...words.filter((word) => word !== undefined));
    expect({ status, traces: traces(project) }).toEqual({ status: 0, traces: [] });
  });

  it("runs none of it for a run that is begun either", async () => {
    const project = canaryProject();
    expect((await project.run("run", "canary.yaml")).status).toBe(0);
    expect(traces(project)).toEqual(["imported", "called", "set-up"]);
    for (const name of traces(project)) renameSync(project.path(name), project.path(`first-${name}`));
    for (const words of [
      ["plan", "canary.yaml"],
      ["status", "exp/job"],
      ["doctor", "exp/job"],
      ["list", "exp"],
      ["verify", "exp/job"],
    ])
      expect(await project.run(...words)).toMatchObject({ status: 0 });
    expect(traces(project)).toEqual([]);
    const { stdout } = await project.run("plan", "canary.yaml");
    expect(stdout).toContain("exp/job: complete, all 7 items are done: nothing is left\n  items    7\n  shards   4,");
    expect(stdout).toContain(
      "  changed  not known: `millrace plan canary.yaml --count` compares config and code with the run\n",
    );
  });

  it("says that code counts the items, and how to have it run", async () => {
    const project = canaryProject();
    const { stdout } = await project.run("plan", "canary.yaml", "parallel.env=process", "parallel.n_workers=2");
    expect(stdout).toBe(
      [
        `${project.path("exp/job")}: new`,
        "  items    not known: the code of ./canary.js#items counts them; `millrace plan canary.yaml --count` runs it",
        "  workers  2 (process)",
        "",
      ].join("\n"),
    );
    const { stdout: dataset } = await project.run("plan", "canary.yaml", "~items");
    expect(dataset).toContain("  items    not known: the code of ./canary.js#Provider counts them; ");
    const { stdout: json } = await project.run("plan", "canary.yaml", "--json");
    expect(JSON.parse(json)).toMatchObject({ items: null, shards: null, batches: null, changed: [], workers: 1 });
    expect(traces(project)).toEqual([]);
    const counted = await project.run("plan", "canary.yaml", "--count");
    expect(counted.stdout).toContain("  items    7\n  shards   4\n");
    expect(traces(project)).toEqual(["imported", "called", "set-up"]);
  });

  it("shows the job script although the items are not known", async () => {
    const project = canaryProject();
    const words = ["++parallel.env=slurm", "++parallel.n_workers=8", "++parallel.options={processes: 2}"];
    const { stdout } = await project.run("plan", "canary.yaml", ...words);
    expect(stdout).toMatch(/^#SBATCH --array=0-3$/m);
    expect(traces(project)).toEqual([]);
  });

  it("says of a config that needs the setup file that it was not run", async () => {
    const project = canaryProject();
    // A value that the command needs; any other would not be read.
    const override = `runner.output_dir=\${shout:hello}`;
    expect(await project.run("plan", "canary.yaml", override)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /there is no resolver shout\.\n {2}-> .* runs no code of the project, .*millrace\.setup\.js\. .*--count/,
      ),
    });
    expect(traces(project)).toEqual([]);
  });

  it.each(["nowhere#x", "./gone.js#Provider", "node:child_process#execSync", "millrace/formats#writeTsv"])(
    "refuses the target %s nevertheless",
    async (target) => {
      const project = canaryProject();
      const { status, stderr } = await project.run("plan", "canary.yaml", `provider._target_=${target}`);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringContaining(`The target ${JSON.stringify(target)} cannot be used`),
      });
      expect((await project.run("doctor", "canary.yaml", `provider._target_=${target}`)).stdout).toContain(
        "WRONG   classes: ",
      );
    },
  );

  it("does not hand ssh the arguments of the config, unless it is trusted (with a fake of ssh)", async () => {
    const project = canaryProject();
    const bin = emptyFolder();
    writeFileSync(join(bin, "ssh"), `#!/bin/sh\necho "$*" >> "${project.path("calls")}"\necho v20.19.0\n`);
    chmodSync(join(bin, "ssh"), 0o755);
    const config = [
      "canary.yaml",
      "parallel.env=ssh",
      "+parallel.options={hosts: [n1], ssh_arguments: ['-oProxyCommand=evil']}",
    ];
    const examine = (...words: string[]) => project.start(["doctor", ...config, ...words], { PATH: bin }).ended;
    expect((await examine()).stdout).toContain(
      "ssh hosts: not asked: ssh_arguments of the config can start any program",
    );
    expect(project.text("calls")).not.toContain("evil");
    expect((await examine("--trust")).stdout).toContain("ssh n1: answers");
    expect(project.text("calls")).toContain("-oProxyCommand=evil");
    expect(traces(project)).toEqual([]);
  });
});

const isRoot = process.getuid?.() === 0;
const why = isRoot ? "" : " (skipped: only root can give files to another user)";
const stranger = 12345;

describe.skipIf(!isRoot)(`a config of another user${why}`, { concurrent: true }, () => {
  const give = (project: Project, name: string, uid = stranger) => chownSync(project.path(name), uid, uid);
  const refusal = (place: string) => ({
    status: 2,
    stderr: expect.stringMatching(
      new RegExp(
        `^millrace: ${place} belongs to another user \\(12345\\): .*\\n {2}-> .*--trust.*MILLRACE_TRUSTED.*millrace/trusted\\.\\n`,
      ),
    ),
  });

  it.each(["", "package.json", "canary.yaml", "millrace.setup.js"])("is not run: %j belongs to them", async (name) => {
    const project = canaryProject();
    give(project, name);
    for (const words of [["run"], ["plan", "--count"], ["run", "--detach"], ["xvector"], ["xvector", "--check"]]) {
      const [command, ...options] = words as [string];
      expect(await project.run(command, "canary.yaml", ...options)).toMatchObject(refusal(join(project.dir, name)));
    }
    expect(traces(project)).toEqual([]);
    expect(existsSync(project.path("exp"))).toBe(false);
    expect((await project.run("plan", "canary.yaml")).status).toBe(0);
  });

  it("is not run where the config's own folder is theirs", async () => {
    const project = canaryProject();
    mkdirSync(project.path("conf"));
    writeFileSync(project.path("conf/canary.yaml"), project.text("canary.yaml"));
    give(project, "conf");
    expect(await project.run("run", "conf/canary.yaml")).toMatchObject(refusal(project.path("conf")));
    expect(traces(project)).toEqual([]);
  });

  it("is run with --trust, also in the background", async () => {
    const project = canaryProject();
    give(project, "");
    expect((await project.run("plan", "canary.yaml", "--count", "--trust")).stdout).toContain("  items    7\n");
    expect((await project.run("run", "canary.yaml", "--trust")).status).toBe(0);
    const other = await project.run("run", "canary.yaml", "--trust", "--detach", "runner.output_dir=exp/other");
    expect(other).toMatchObject({ status: 0, stdout: `${project.path("exp/other")}\n` });
    expect((await project.run("attach", "exp/other")).status).toBe(0);
  });

  it("is run where its folder, or one above it, is on a list of the user's", async () => {
    const project = canaryProject();
    give(project, "");
    const withVariables = async (variables: Record<string, string>) =>
      (await project.start(["plan", "canary.yaml", "--count"], variables).ended).status;
    const configs = emptyFolder();
    mkdirSync(join(configs, "millrace"));
    const list = (text: string) => writeFileSync(join(configs, "millrace", "trusted"), text);
    list("# mine\n/elsewhere\n");
    expect(await withVariables({ XDG_CONFIG_HOME: configs })).toBe(2);
    expect(await withVariables({ MILLRACE_TRUSTED: `${project.dir}-more:/elsewhere:relative:` })).toBe(2);
    expect(await withVariables({ MILLRACE_TRUSTED: `/elsewhere:${project.dir}` })).toBe(0);
    expect(await withVariables({ MILLRACE_TRUSTED: join(project.dir, "..") })).toBe(0);
    list(`# mine\n${project.dir}/\n`);
    expect(await withVariables({ XDG_CONFIG_HOME: configs })).toBe(0);
  });

  it("is run through sudo for the user who owns it, and for no other", async () => {
    const project = canaryProject();
    give(project, "");
    const behind = async (uid: string) =>
      (await project.start(["plan", "canary.yaml", "--count"], { SUDO_UID: uid }).ended).status;
    expect([await behind(String(stranger)), await behind("999"), await behind("")]).toEqual([0, 2, 2]);
  });

  it("can be run where a network file system shows all files as those of no user", async () => {
    const project = canaryProject();
    give(project, "", 65534);
    const { status, stderr } = await project.run("run", "canary.yaml");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/\(65534, which network file systems .*\n {2}-> .*--trust/),
    });
    expect((await project.run("run", "canary.yaml", "--trust")).status).toBe(0);
  });

  const program = join(repository, "dist", "cli", "millrace.js");
  const asStranger = { uid: stranger, gid: stranger, encoding: "utf8" } as const;
  const canRead = isRoot && spawnSync(process.execPath, ["--check", program], asStranger).status === 0;
  const unread = canRead ? "" : " (skipped: other users cannot read this repository)";

  it.skipIf(!canRead)(`is not root's: every user may run what root has installed${unread}`, () => {
    const project = canaryProject();
    for (const folder of [join(project.dir, "..", ".."), join(project.dir, "..")]) chmodSync(folder, 0o755);
    const words = [program, "plan", "job.yaml", "--count"];
    writeFileSync(project.path("millrace.setup.js"), "");
    const { status, stdout } = spawnSync(process.execPath, words, { ...asStranger, cwd: project.dir });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("  items    20\n") });
  });
});

describe.concurrent("a project that every user can write to", () => {
  it.each([
    ["", 0o777, 2],
    ["canary.yaml", 0o666, 2],
    ["millrace.setup.js", 0o666, 2],
    ["", 0o1777, 0],
    ["", 0o775, 0],
    ["canary.yaml", 0o664, 0],
  ])("%j with the mode %o: plan --count ends with %i", async (name, mode, expected) => {
    const project = canaryProject();
    chmodSync(project.path(name), mode);
    const { status, stderr } = await project.run("plan", "canary.yaml", "--count");
    expect(status).toBe(expected);
    expect(traces(project).length).toBe(expected === 0 ? 3 : 0);
    if (expected === 0) return;
    expect(stderr).toContain(`Anyone can write to ${join(project.dir, name)}: `);
    expect((await project.run("plan", "canary.yaml", "--count", "--trust")).status).toBe(0);
  });
});

describe.concurrent("a run folder", () => {
  async function runProject(): Promise<Project> {
    const project = makeProject();
    expect((await project.run("run", "job.yaml", "fails=[3]")).status).toBe(3);
    return project;
  }

  /** Changes the spec as a user could who can write to the folder. */
  function change(project: Project, edit: (spec: Record<string, unknown>) => object): void {
    const file = specOf(project);
    writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>)));
  }

  const specOf = (project: Project) => runPaths(project.path("exp/job")).spec;

  it.skipIf(!isRoot).each(["worker", "retry", "merge"])(
    `whose spec is another user's is not continued: %s${why}`,
    async (command) => {
      const project = await runProject();
      chownSync(specOf(project), stranger, stranger);
      expect(await project.run(command, "exp/job")).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/spec\.json belongs to another user \(12345\): .*\n {2}-> .*--trust/),
      });
      const { status } = await project.run(command, "exp/job", "--trust");
      expect(status).toBe(command === "retry" ? 3 : 0);
      for (const looking of ["status", "attach", "doctor", "verify"])
        expect((await project.run(looking, "exp/job")).status).not.toBe(2);
    },
  );

  it("that any user may have written to is not continued", async () => {
    const project = await runProject();
    chmodSync(specOf(project), 0o666);
    expect(await project.run("merge", "exp/job")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Anyone can write to"),
    });
  });

  it("cannot have workers call what is neither a provider nor a runner", async () => {
    for (const [part, code] of [
      ["provider", "BAD_PROVIDER"],
      ["runner", "BAD_RUNNER"],
    ] as const) {
      const project = await runProject();
      const module = pathToFileURL(project.path("evil.js")).href;
      writeFileSync(
        project.path("evil.js"),
        `import { writeFileSync } from "node:fs";\nexport function write() { writeFileSync(${JSON.stringify(project.path("called"))}, ""); }\nwrite.forward = () => ({});\n`,
      );
      change(project, (before) => ({ ...before, [part]: { module, name: "write" }, onCodeChange: "accept" }));
      const { stderr } = await project.run("retry", "exp/job", "--accept-change");
      expect(stderr).toMatch(new RegExp(`it is not a ${part}[\\s\\S]*${code}`));
      expect(existsSync(project.path("called"))).toBe(false);
    }
  });

  /** A project whose provider makes a part of its config in the workers. */
  function makingProject(): Project {
    const project = makeProject();
    writeFileSync(
      project.path("made.js"),
      `import { instantiate } from "millrace";
import { JobProvider } from "./jobs.js";
export class MakingProvider extends JobProvider {
  static module = import.meta.url;
  async buildEnvLocal() { await instantiate(this.config.made); return super.buildEnvLocal(); }
}
export const fine = () => "fine";
`,
    );
    mkdirSync(project.path("node_modules/transitive"));
    writeFileSync(project.path("node_modules/transitive/package.json"), '{ "name": "transitive", "main": "i.cjs" }');
    const called = `require("node:fs").writeFileSync(${JSON.stringify(project.path("called"))}, "");\n`;
    writeFileSync(project.path("node_modules/transitive/i.cjs"), called);
    return project;
  }

  const making = (target: string) => ["provider._target_=./made.js#MakingProvider", `+made={_target_: '${target}'}`];
  const refusedTargets = ["transitive#f", "millrace/formats#writeTsv", "child_process#execSync"];

  it.each(["local", "process"])("has its targets checked in workers as in the command, env %s", async (env) => {
    const project = makingProject();
    for (const target of refusedTargets) {
      const { status, stderr } = await project.run(
        "run",
        "job.yaml",
        ...making(target),
        `parallel.env=${env}`,
        "--restart",
      );
      expect(status).not.toBe(0);
      expect(stderr).toContain(`The target "${target}" cannot be used`);
    }
    expect(existsSync(project.path("called"))).toBe(false);
  });

  it("with other targets in its spec is refused by a worker that joins", async () => {
    const project = makingProject();
    expect(
      (await project.run("run", "job.yaml", ...making("./made.js#fine"), "fails=[3]", "runner.on_error=fail")).status,
    ).toBe(1);
    for (const target of refusedTargets) {
      change(project, (before) => ({
        ...before,
        config: { ...(before["config"] as object), made: { _target_: target } },
      }));
      const { status, stderr } = await project.run("worker", "exp/job");
      expect(status).not.toBe(0);
      expect(stderr).toContain(`The target "${target}" cannot be used`);
    }
    expect(existsSync(project.path("called"))).toBe(false);
  });
});
