import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CodeProject, codeProject } from "../support/code-project.ts";

const main = `import { BaseRunner, EnvironmentProvider, isMainModule, range } from "millrace";
import { scale } from "./lib/scale.js";

export class PrepProvider extends EnvironmentProvider {
  static module = import.meta.url;
  buildEnvLocal() {
    return { factor: scale };
  }
}

export class PrepRunner extends BaseRunner {
  static module = import.meta.url;
  static forward(idx, { factor }) {
    if (idx === 50) throw new Error("item 50 is odd");
    return { id: idx, size: idx * factor };
  }
}

if (isMainModule(import.meta.url)) {
  const env = process.argv[2] ?? "local";
  const parallel = { env, n_workers: env === "local" ? 1 : 2 };
  const options = { outputDir: "exp", mergeFiles: true, progress: false, ...JSON.parse(process.argv[3] ?? "{}") };
  const records = await new PrepRunner(new PrepProvider(), { ...options, parallel }).run(range(100));
  console.log(records.length, "records");
}
`;
const files = { "main.mjs": main, "lib/scale.js": "export const scale = 3;\n" };
const options = (given: object) => JSON.stringify(given);

/** A run of a hundred items that has ended at item 50. */
async function stoppedAt50(): Promise<CodeProject> {
  const project = codeProject(files);
  const { status, stderr } = await project.node("main.mjs");
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("item 50 is odd") });
  return project;
}

/** A run of a hundred items that is complete. */
async function complete(env = "local"): Promise<CodeProject> {
  const project = codeProject({ ...files, "main.mjs": main.replace("idx === 50", "idx === -1") });
  expect(await project.node("main.mjs", env)).toMatchObject({ status: 0, stderr: "" });
  return project;
}

interface Version {
  readonly itemsBefore: number;
}

const versions = (project: CodeProject) =>
  (JSON.parse(project.text("exp/manifest.json")) as { code: readonly Version[] }).code;

const logs = (project: CodeProject) =>
  readdirSync(project.path("exp/.millrace/logs"))
    .map((name) => project.text(`exp/.millrace/logs/${name}`))
    .join("");

/** The process of the run's that has stopped itself. */
async function stoppedWorker(project: CodeProject): Promise<number> {
  let found: number | undefined;
  await expect
    .poll(
      () => {
        const folder = project.path("exp/.millrace/workers");
        const pids = existsSync(folder) ? readdirSync(folder).map((name) => pidIn(join(folder, name))) : [];
        found = pids.find((pid) => pid !== undefined && isStopped(pid));
        return found;
      },
      { timeout: 300_000 },
    )
    .toBeDefined();
  return found!;
}

function pidIn(path: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
  } catch {
    // It is just being written, or gone.
    return undefined;
  }
}

function isStopped(pid: number): boolean {
  try {
    return /\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const fix2 = (project: CodeProject) => {
  project.edit("jobs.js", 'if (idx === 50) throw new Error("item 50 is odd");', "");
};

const fix = (project: CodeProject) => {
  project.edit("main.mjs", 'if (idx === 50) throw new Error("item 50 is odd");', "");
  project.edit("main.mjs", "{ id: idx,", "{ utt_id: idx,");
};

describe.concurrent("a run whose code was edited", () => {
  it("is refused by the name of the file and the number of items that the old code has made", async () => {
    const project = await stoppedAt50();
    fix(project);
    const { status, stderr } = await project.node("main.mjs");
    expect(status).toBe(1);
    expect(stderr).toMatch(/RUN_CHANGED/);
    expect(stderr).toMatch(/50 of its 100 items were made by other code:\n {2}main\.mjs: changed\n/);
    expect(stderr).toMatch(/resume: false .*acceptChange: true/);
  });

  it.each(["local", "process", "thread"])("is refused when it is finished, too, with env: %s", async (env) => {
    const project = await complete(env);
    project.edit("main.mjs", "{ id: idx,", "{ utt_id: idx,");
    const { status, stdout, stderr } = await project.node("main.mjs", env);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/100 of its 100 items were made by other code:\n {2}main\.mjs: changed\n/);
  });

  it("continues where the change is accepted, and notes who made what", async () => {
    const project = await stoppedAt50();
    fix(project);
    expect(await project.node("main.mjs", "local", options({ acceptChange: true }))).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(project.records("exp").slice(49, 52)).toEqual([
      { id: 49, size: 147 },
      { utt_id: 50, size: 150 },
      { utt_id: 51, size: 153 },
    ]);
    expect(versions(project).map(({ itemsBefore }) => itemsBefore)).toEqual([0, 50]);
    expect(await project.node("main.mjs")).toMatchObject({ status: 0, stderr: "" });
  });

  it("starts over where that is asked for, with the new code alone", async () => {
    const project = await stoppedAt50();
    fix(project);
    await project.node("main.mjs", "local", options({ resume: false }));
    expect(project.records("exp")[0]).toEqual({ utt_id: 0, size: 0 });
    expect(versions(project)).toHaveLength(1);
  });

  it.each([
    ["warn", "millrace: the code has changed since 50 of 100 items were made: main.mjs: changed\n"],
    ["accept", ""],
  ])("continues with onCodeChange: %s", async (onCodeChange, said) => {
    const project = await stoppedAt50();
    fix(project);
    const again = await project.node("main.mjs", "local", options({ onCodeChange }));
    expect(again).toMatchObject({ status: 0, stdout: "100 records\n", stderr: said });
  });

  it("continues in silence where only comments, blank lines and the options of the start were edited", async () => {
    const project = await complete("process");
    project.edit("main.mjs", "  static forward", "\n  // What is done with one item.\n  static forward");
    project.edit("main.mjs", "? 1 : 2", "? 1 : 3");
    expect(await project.node("main.mjs")).toMatchObject({ status: 0, stdout: "100 records\n", stderr: "" });
  });

  it("says so and continues where only an import was edited", async () => {
    const project = await stoppedAt50();
    project.edit("lib/scale.js", "3", "4");
    const { stderr } = await project.node("main.mjs");
    expect(stderr).toContain("millrace: the code has changed since 50 of 100 items were made: lib/scale.js: changed\n");
    expect(stderr).toContain("item 50 is odd");
  });

  it("says so at every start, as long as the other code has made nothing", async () => {
    const project = await complete();
    project.edit("lib/scale.js", "3", "4");
    const said = "millrace: the code has changed since 100 of 100 items were made: lib/scale.js: changed\n";
    for (let start = 0; start < 2; start++) expect((await project.node("main.mjs")).stderr).toContain(said);
    project.edit("lib/scale.js", "4", "3");
    expect(await project.node("main.mjs")).toMatchObject({ status: 0, stderr: "" });
  });

  it("is the same for workers, which know less of the classes: one that is extended has a module of its own", async () => {
    const base = `import { BaseRunner } from "millrace";
// A comment.
export class Base extends BaseRunner {
  static module = import.meta.url;
}
`;
    const derived = main.replace("extends BaseRunner", "extends Base").replace("idx === 50", "idx === -1");
    const project = codeProject({
      ...files,
      "base.mjs": base,
      "main.mjs": `import { Base } from "./base.mjs";\n${derived}`,
    });
    expect(await project.node("main.mjs", "process")).toMatchObject({ status: 0, stderr: "" });
  });

  it("is refused for an import where that is asked for", async () => {
    const project = await stoppedAt50();
    project.edit("lib/scale.js", "3", "4");
    const { stderr } = await project.node("main.mjs", "local", options({ onCodeChange: "refuse" }));
    expect(stderr).toMatch(/50 of its 100 items were made by other code:\n {2}lib\/scale\.js: changed\n/);
    expect(stderr).not.toContain("item 50 is odd");
  });

  it("is compared with a package by its version, not by its files", async () => {
    const project = codeProject({ ...files, "main.mjs": main.replace("./lib/scale.js", "scales") });
    const install = (version: string, scale: number) => {
      project.write(
        "node_modules/scales/package.json",
        `{ "name": "scales", "version": "${version}", "main": "a.js" }`,
      );
      project.write("node_modules/scales/a.js", `exports.scale = ${scale};`);
    };
    install("1.0.0", 3);
    await project.node("main.mjs");
    install("1.0.0", 4);
    expect((await project.node("main.mjs")).stderr).not.toContain("the code has changed");
    install("1.1.0", 4);
    expect((await project.node("main.mjs")).stderr).toContain(
      "millrace: the code has changed since 50 of 100 items were made: package scales: 1.0.0 -> 1.1.0\n",
    );
  });

  it("is left to the version of the runner where it has one", async () => {
    const versioned = main.replace(
      "static module = import.meta.url;\n  static forward",
      "static module = import.meta.url;\n  static version = 1;\n  static forward",
    );
    const project = codeProject({ ...files, "main.mjs": versioned });
    await project.node("main.mjs");
    fix(project);
    project.edit("main.mjs", "version = 1", "version = 2");
    const { stderr } = await project.node("main.mjs");
    expect(stderr).toMatch(/runner: PrepRunner version 1 -> PrepRunner version 2/);
    project.edit("main.mjs", "version = 2", "version = 1");
    expect(await project.node("main.mjs")).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(project.text("exp/manifest.json"))).not.toHaveProperty("code");
  });

  it("is noticed by the text of the classes where they name no module", async () => {
    const project = codeProject({ ...files, "main.mjs": main.replaceAll("  static module = import.meta.url;\n", "") });
    await project.node("main.mjs");
    fix(project);
    expect((await project.node("main.mjs")).stderr).toMatch(/by other code:\n {2}class PrepRunner: changed\n/);
  });

  it("is noticed in TypeScript, through tsx, with imports that are written as JavaScript", async () => {
    const project = codeProject({
      "main.ts": main.replace("./lib/scale.js", "#lib/scale.js"),
      "lib/scale.ts": files["lib/scale.js"],
    });
    const tsx = ["--import", import.meta.resolve("tsx")];
    const first = await project.node(...tsx, "main.ts", "process");
    expect(first.stderr).toContain("item 50 is odd");
    project.edit("lib/scale.ts", "3", "4");
    expect((await project.node(...tsx, "main.ts", "process")).stderr).toContain(": lib/scale.ts: changed\n");
    project.edit("main.ts", "idx === 50", "idx === -1");
    // The change before counts too, unless it has made items.
    expect((await project.node(...tsx, "main.ts")).stderr).toMatch(
      /by other code:\n(?: {2}lib\/scale\.ts: changed\n)? {2}main\.ts: changed\n/,
    );
  });

  it("is noticed in what the config names as a target", async () => {
    const target = main
      .replace("return { factor: scale };", "return instantiate(this.config.factor, { projectRoot: process.cwd() });")
      .replace("new PrepProvider()", 'new PrepProvider({ factor: { _target_: "./lib/made.js#make" } })')
      .replace("BaseRunner,", "BaseRunner, instantiate,");
    const project = codeProject({
      ...files,
      "main.mjs": target,
      "lib/made.js": "export const make = () => ({ factor: 3 });\n",
    });
    await project.node("main.mjs", "local", options({ onError: "skip" }));
    project.edit("lib/made.js", "3", "4");
    expect((await project.node("main.mjs")).stderr).toContain(": lib/made.js: changed\n");
  });

  it("is begun again by the first start over the folder of a version that noted no code, which says so", async () => {
    const project = await stoppedAt50();
    const manifest = JSON.parse(project.text("exp/manifest.json")) as { code?: unknown };
    delete manifest.code;
    project.write("exp/manifest.json", JSON.stringify(manifest));
    const { stderr } = await project.node("main.mjs");
    expect(stderr).toContain(
      "millrace: 50 of 100 items were made before their code was noted: whether it has changed since is not known\n",
    );
    fix(project);
    expect((await project.node("main.mjs")).stderr).toMatch(/50 of its 100 items were made by other code/);
  });

  it("is not compared with anything while nothing is done", async () => {
    const project = codeProject({ ...files, "main.mjs": main.replace("idx === 50", "idx === 0") });
    await project.node("main.mjs");
    project.edit("main.mjs", "idx === 0", "idx === -1");
    expect(await project.node("main.mjs")).toMatchObject({ status: 0, stderr: "" });
    expect(versions(project).map(({ itemsBefore }) => itemsBefore)).toEqual([0]);
  });
});

describe.concurrent("a worker that starts later", () => {
  // The worker that meets item 60 waits there until it is ended.
  const waiting = main
    .replace(
      "if (idx === 50) throw",
      'if (idx === 60 && !existsSync("go")) process.kill(process.pid, "SIGSTOP");\n    if (idx === -1) throw',
    )
    .replace("import {", 'import { existsSync } from "node:fs";\nimport {');

  it.each([
    ["is refused where the module of the runner was edited while the run was under way", "main.mjs", 1],
    ["says so where only an import was", "lib/scale.js", 0],
  ])("%s", async (_title, name, status) => {
    const project = codeProject({ ...files, "main.mjs": waiting });
    const run = project.startNode("main.mjs", "process");
    const stopped = await stoppedWorker(project);
    if (name === "main.mjs") project.edit(name, "{ id: idx,", "{ utt_id: idx,");
    else project.edit(name, "3", "4");
    project.write("go", "");
    process.kill(stopped, "SIGKILL");
    const outcome = await run.ended;
    expect(outcome.status).toBe(status);
    if (status === 1) {
      expect(outcome.stderr).toMatch(/was edited while the run was under way[\s\S]*\n {2}main\.mjs: changed\n/);
      expect(outcome.stderr).toContain("RUN_CHANGED");
    } else {
      expect(logs(project)).toContain(
        "millrace: the code has changed since the run was started: lib/scale.js: changed",
      );
    }
  });

  it("is refused by `millrace worker`, too", async () => {
    const project = await stoppedAt50();
    fix(project);
    const { status, stderr } = await project.millrace("worker", "exp");
    expect(status).toBe(1);
    expect(stderr).toMatch(/was edited while the run was under way[\s\S]*main\.mjs: changed/);
  });
});

describe.concurrent("the command line", () => {
  it("says that the code is not the one that made the outputs", async () => {
    const project = await complete();
    const before = await project.millrace("status", "exp");
    expect(before.stdout).not.toContain("code");
    project.edit("main.mjs", "{ id: idx,", "{ utt_id: idx,");
    const line = "  code     has changed since it made the outputs: main.mjs: changed\n";
    expect((await project.millrace("status", "exp")).stdout).toContain(line);
    const json = JSON.parse((await project.millrace("status", "exp", "--json")).stdout) as object;
    expect(json).toMatchObject({ state: "complete", codeChanged: ["main.mjs: changed"] });
    expect((await project.millrace("doctor", "exp")).stdout).toContain(
      "note    code: it has changed since it made the outputs: main.mjs: changed\n",
    );
  });

  const config = `provider:
  _target_: ./jobs.js#PrepProvider
runner:
  _target_: ./jobs.js#PrepRunner
  output_dir: exp
  on_error: skip
items: 100
`;
  const jobs = main.slice(0, main.indexOf("if (isMainModule"));

  it("plans what a run would do about it, and asks before it retries or merges with other code", async () => {
    const project = codeProject({ ...files, "jobs.js": jobs, "run.yaml": config });
    expect((await project.millrace("run", "run.yaml")).status).toBe(3);
    fix2(project);
    expect((await project.millrace("plan", "run.yaml", "--count")).stdout).toContain(
      "  code     jobs.js: changed: `millrace run` refuses this without --accept-change or --restart\n",
    );
    for (const words of [
      ["run", "run.yaml"],
      ["retry", "exp"],
      ["merge", "exp"],
    ]) {
      const { status, stderr } = await project.millrace(...words);
      expect({ status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("jobs.js: changed\n  -> Pass --restart"),
      });
    }
    expect((await project.millrace("plan", "run.yaml", "--count", "+runner.on_code_change=warn")).stdout).toContain(
      "`millrace run` warns and continues",
    );
    expect(await project.millrace("retry", "exp", "--accept-change")).toMatchObject({ status: 0 });
    expect(await project.millrace("merge", "exp")).toMatchObject({ status: 0 });
  });

  it("refuses a policy that is none, with its place", async () => {
    const project = codeProject({ ...files, "jobs.js": jobs, "run.yaml": config });
    const { status, stderr } = await project.millrace("run", "run.yaml", "+runner.on_code_change=ask");
    expect(status).toBe(2);
    expect(stderr).toMatch(/on_code_change.*refuse/);
  });
});

describe("code that is edited after calls beyond a failed item have answered", () => {
  it("is refused although no item before them is done: their answers would be mixed with those of the new code", async () => {
    const inFlight = main.replace(
      'if (idx === 50) throw new Error("item 50 is odd");',
      'if (idx === 0) return new Promise((_, reject) => setTimeout(() => reject(new Error("item 0 is odd")), 300));',
    );
    const project = codeProject({ ...files, "main.mjs": inFlight });
    const given = options({ concurrency: 8, shards: 1 });
    expect(await project.node("main.mjs", "local", given)).toMatchObject({ status: 1 });
    project.edit("main.mjs", /if \(idx === 0\).*/, "");
    project.edit("main.mjs", "size: idx", "length: idx");
    const { status, stderr } = await project.node("main.mjs", "local", given);
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("RUN_CHANGED") });
    const accepted = await project.node("main.mjs", "local", options({ concurrency: 8, shards: 1, resume: false }));
    expect(accepted).toMatchObject({ status: 0 });
    expect(project.records("exp").every((record) => "length" in record)).toBe(true);
  });
});
