import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import {
  emptyFolder,
  initProject,
  type Outcome,
  program,
  projectIn,
  repository,
  start,
} from "../support/cli/project.ts";
import { readBlocks } from "../support/read-page.ts";
import { makeVoices } from "../support/recipes/voices.ts";

const folder = emptyFolder();
const home = join(folder, "home");
const bin = join(folder, "bin");

beforeAll(() => {
  for (const place of [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"])
    mkdirSync(join(home, place), { recursive: true });
  mkdirSync(bin);
  writeProgram("millrace", `exec "${process.execPath}" "${program}" "$@"`);
  // A fake of npm, which would fetch the package: it is this repository.
  writeProgram("npm", `mkdir -p node_modules && ln -sfn "${repository}" node_modules/millrace`);
});

function writeProgram(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** What a user types into a shell, bounded: an example that does not come to its end is a bad one. */
function type(text: string, cwd: string, seconds = 280): Promise<Outcome> {
  const variables = { HOME: home, PATH: `${bin}:${process.env["PATH"]}` };
  return start(["timeout", String(seconds), "bash", "-euo", "pipefail", "-c", text], cwd, variables).ended;
}

// These change a run: one after the other.
const changing = ["run", "xvector", "worker", "cancel", "retry", "merge", "gc"];

describe("the examples of --help", async () => {
  const dir = join(folder, "corpus");
  const all = await Promise.all(Object.values(commands).map(({ load }) => load()));
  const examples = all.flatMap((command) => command.examples.map((example) => ({ name: command.name, example })));

  beforeAll(() => {
    initProject(dir);
    spawnSync(process.execPath, [program, "run", "prep.yaml"], { cwd: dir });
    const manifest = makeVoices(dir, { speakers: 2, utterances: 2 });
    const xvector = { toolkit: "builtin", spk_embed_tag: "tag", save_path: "exp", manifest_paths: { train: manifest } };
    writeFileSync(join(dir, "xvector.yaml"), JSON.stringify({ xvector }));
  });

  it("are there for every command, and shown", async () => {
    for (const { name, example } of examples) expect(example).toMatch(new RegExp(`^millrace ${name}\\b`));
    expect(new Set(examples.map(({ name }) => name))).toEqual(new Set(Object.keys(commands)));
    const { stdout } = await type("millrace run --help", dir);
    expect(stdout).toMatch(/Examples:\n {2}millrace run prep\.yaml\n/);
  });

  const doing = examples.filter(({ name }) => changing.includes(name));
  // An object store needs a server: doctor-object-store.test.ts has one.
  const looking = examples.filter(({ name, example }) => !changing.includes(name) && !example.includes("s3://"));
  const work = async (example: string) => {
    // What continues in the background is not to be in the way of the next one.
    const detached = example.includes("--detach") ? `${example}; millrace attach exp/prep` : example;
    const text = example.startsWith("millrace dashboard") ? untilItAnswers(example) : detached;
    const { status, stderr } = await type(text, dir);
    expect({ status, stderr }).toMatchObject({ status: 0 });
  };

  it.concurrent.each(looking.map(({ example }) => example))("%s", work);
  it.each(doing.map(({ example }) => example))("%s", work);

  it("have written scripts for the shells", () => {
    const script = join(home, ".local/share/bash-completion/completions/millrace");
    expect(readFileSync(script, "utf8")).toContain("complete -o filenames -F _millrace millrace");
  });
});

/** A dashboard runs until it gets a signal, here once it has printed its address. */
function untilItAnswers(command: string): string {
  const [out, wait] = ["$(mktemp)", 'until grep -q http "$out"; do sleep 0.2; done'];
  return `out=${out}; ${command} > "$out" & ${wait}; kill -TERM $!; wait $!`;
}

describe("docs/dashboard.md", () => {
  const lines = readBlocks("docs/dashboard.md")
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));
  const dir = join(folder, "watched");

  beforeAll(() => {
    initProject(dir);
    spawnSync(process.execPath, [program, "run", "prep.yaml"], { cwd: dir });
  });

  it.concurrent.for(lines.filter((line) => line.includes("millrace dashboard")))("%s", async (line, { skip }) => {
    const needsOpenssl = line.includes("openssl") && spawnSync("openssl", ["version"]).error !== undefined;
    skip(needsOpenssl, "there is no openssl");
    const { status, stderr } = await type(untilItAnswers(line.replace(/ +#.*/, "")), dir);
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });

  it("has a tunnel that ssh understands: the same port on both sides", ({ skip }) => {
    const { error } = spawnSync("ssh", ["-V"]);
    skip(error !== undefined, "there is no ssh");
    const [tunnel] = lines.filter((line) => line.startsWith("ssh "));
    const words = tunnel!.replace(/ +#.*/, "").split(" ").slice(1);
    // -G: what it would do, without doing it.
    const { stdout, status } = spawnSync("ssh", ["-F", "/dev/null", "-G", ...words], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^localforward 8643 \[127\.0\.0\.1\]:8643$/m),
    });
  });

  it("has no other commands than those", () => {
    expect(lines.filter((line) => !/^ssh |^(\w+=\S.*)?millrace dashboard /.test(line))).toEqual([]);
  });
});

describe("docs/cli.md", () => {
  const page = readFileSync(join(repository, "docs", "cli.md"), "utf8");
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, text]) => ({
    language,
    text: text!,
  }));
  const shell = blocks.filter(({ language }) => language === "sh").map(({ text }) => text);

  it.concurrent("has commands that all work, one after the other", async () => {
    // The first block goes into the project; the others are typed there.
    const { status, stderr } = await type(shell.join("\n"), emptyFolder());
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(shell).toHaveLength(6);
  }, 300_000);

  it.concurrent("has a config that runs", async () => {
    const [config] = blocks.filter(({ language }) => language === "yaml");
    const dir = join(emptyFolder(), "corpus");
    initProject(dir);
    writeFileSync(join(dir, "doc.yaml"), config!.text);
    const { status, stdout } = await projectIn(dir).run("run", "doc.yaml");
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("exp/train: complete") });
  });

  it("has no other blocks than those, and what commands print", () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["sh", "yaml", "text"]));
  });

  it("names every command with every option it has, and no other", async () => {
    for (const [name, { load }] of Object.entries(commands)) {
      const { usage, options } = await load();
      const [, , row] = new RegExp(`^\\| \`${name}( [^\`]*)?\` \\| (.*)\\|$`, "m").exec(page) ?? [];
      expect(row, name).toBeDefined();
      const shown = [...row!.matchAll(/--[\w-]+/g)].map(([option]) => option.slice(2));
      expect([name, shown.sort()]).toEqual([name, Object.keys(options).sort()]);
      const [argument] = usage.replaceAll("|", "\\|").split(" [--");
      expect(page).toContain(`| \`${name} ${argument!.split(" [--")[0]}\` |`);
    }
  });
});
