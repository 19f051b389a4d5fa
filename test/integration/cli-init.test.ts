import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, initProject, program, projectIn, repository, start } from "../support/cli/project.ts";

describe.concurrent("millrace init", () => {
  it("makes a whole project, whose own test passes and whose commands work", async () => {
    const dir = join(emptyFolder(), "My Corpus (2)");
    const { status, stdout } = await projectIn(emptyFolder()).run("init", dir);
    expect(status).toBe(0);
    expect(stdout).toContain(`  cd '${dir}'\n`);
    expect(readdirSync(dir).sort()).toEqual([
      ".gitignore",
      "README.md",
      "package.json",
      "prep.js",
      "prep.test.js",
      "prep.yaml",
    ]);
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    expect(JSON.parse(readFileSync(join(dir, "package.json"), "utf8"))).toMatchObject({
      name: "my-corpus-2",
      type: "module",
      dependencies: { millrace: `^${version}` },
    });
    const project = projectIn(join(emptyFolder(), "corpus"));
    initProject(project.dir);
    const test = await start(["npm", "test"], project.dir, { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined })
      .ended;
    expect(test).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 2$/m) });
    // Each command that its README and its config name.
    const named = [
      ...`${project.text("README.md")}${project.text("prep.yaml")}`.matchAll(/millrace ((?:run|status) [^#\n]+)/g),
    ];
    expect(named.length).toBeGreaterThan(3);
    for (const [, words] of named)
      expect(await project.run(...words!.trim().split(/ {2,}/)[0]!.split(" "))).toMatchObject({ status: 0 });
    expect(project.text("exp/prep/records.jsonl")).toContain('"text":"one more word"');
  });

  it("refuses a folder with something in it, and a file", async () => {
    const outside = projectIn(emptyFolder());
    mkdirSync(outside.path("full/inner"), { recursive: true });
    writeFileSync(outside.path("file"), "");
    expect(await outside.run("init", "full")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("full is not empty"),
    });
    expect(await outside.run("init", "file")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("file is a file.\n  -> Name a folder that is not there yet."),
    });
    expect(outside.names("full")).toEqual(["inner"]);
  });

  it("fills an empty folder that is there", async () => {
    const outside = projectIn(emptyFolder());
    expect((await outside.run("init", ".")).status).toBe(0);
    expect(outside.names("")).toContain("prep.yaml");
  });
});

describe.concurrent("millrace completion", () => {
  function scriptFor(shell: string): string {
    const file = join(emptyFolder(), "millrace");
    const { stdout } = spawnSync(process.execPath, [program, "completion", shell], { encoding: "utf8" });
    writeFileSync(file, stdout);
    return file;
  }

  it.for(["bash", "zsh", "fish"])("prints a script that %s can read", (shell, { skip }) => {
    const { status, stderr, error } = spawnSync(shell, ["-n", scriptFor(shell)], { encoding: "utf8" });
    if (error !== undefined) skip(`${shell} is not installed`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.for([
    [["st"], ["status"]],
    [[""], expect.arrayContaining(["init", "run", "completion", "help", "--version"])],
    [["status", "--w"], ["--watch"]],
    [
      ["run", "prep.yaml", "--"],
      ["--detach", "--restart", "--accept-change", "--limit", "--trust", "--json", "--help"],
    ],
    [["completion", "f"], ["fish"]],
    [["help", "ver"], ["verify"]],
    [["run", "my"], ["my config.yaml"]],
    [["nonsense", "--"], []],
  ] as const)("completes %j in bash", ([words, expected]) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "my config.yaml"), "");
    const ask = `source "$1"; shift; COMP_WORDS=(millrace "$@"); COMP_CWORD=$#; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--norc", "-c", ask, "bash", scriptFor("bash"), ...words];
    const { stdout } = spawnSync("bash", args, { cwd: folder, encoding: "utf8" });
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual(expected);
  });
});
