// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { resolveExpression } from "../../../src/config/resolve-expression.ts";
import { registerResolver, removeResolver } from "../../../src/config/resolvers.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

/** Loads conf/main.yaml of a project with these files. */
async function load(yaml: string, files: Readonly<Record<string, string | Uint8Array>> = {}, overrides: string[] = []) {
  const folder = realpathSync(writeFiles({ "package.json": "{}", "conf/main.yaml": yaml, ...files }));
  return { folder, config: await loadConfig(join(folder, "conf/main.yaml"), overrides) };
}

const read = async (...args: Parameters<typeof load>) => (await load(...args)).config;

describe("self_name", () => {
  it("is the name of the config without its ending", async () => {
    expect(await read("a: run_${self_name:}\n")).toEqual({ a: "run_main" });
  });

  it("is the name of the file in which it is written, if there is no template", async () => {
    const files = { "conf/base.yaml": "b: ${self_name:}\n" };
    expect(await read("defaults: [base]\na: ${self_name:}\n", files)).toEqual({ b: "base", a: "main" });
  });

  it("is the name of the config in a value of the command line", async () => {
    expect(await read("a: 1\n", {}, ["a=${self_name:}"])).toEqual({ a: "main" });
  });

  it("keeps all of a name but its last ending, and returns an argument unchanged", async () => {
    const folder = writeFiles({ "v1.5.yaml": "a: ${self_name:}\nb: ${self_name:other}\n" });
    expect(await loadConfig(join(folder, "v1.5.yaml"))).toEqual({ a: "v1.5", b: "other" });
  });
});

describe("config_path", () => {
  it("is the absolute path, from the folder of the file in which it is written", async () => {
    const files = { "conf/deep/base.yaml": "# @package _global_\nb: ${config_path:../x.md}\n" };
    const { folder, config } = await load("defaults: [deep/base]\na: ${config_path:../src/readme.md}\n", files);
    expect(config).toEqual({ b: join(folder, "conf/x.md"), a: join(folder, "src/readme.md") });
  });

  it("leaves absolute paths alone, and paths that are made of other values", async () => {
    const yaml = "d: some\na: ${config_path:/etc/motd}\nb: ${config_path:${d}/x}\n";
    expect(await read(yaml)).toEqual({ d: "some", a: "/etc/motd", b: "some/x" });
  });
});

describe("set_corpus_and_system", () => {
  it("joins the names of the folders of a recipe", async () => {
    const folder = writeFiles({ "egs3/talk/asr/conf/tuning/demo.yaml": "a: ${set_corpus_and_system:}\n" });
    const path = join(folder, "egs3/talk/asr/conf/tuning/demo.yaml");
    expect(await loadConfig(path)).toEqual({ a: "talk_asr" });
  });

  it("is an error that names the folders anywhere else", async () => {
    await expect(read("a: ${set_corpus_and_system:}\n")).rejects.toThrow(
      /main\.yaml:1:1: a: \$\{set_corpus_and_system:…\} failed: .*main\.yaml is not in a folder egs3\/CORPUS\/SYSTEM\/conf/,
    );
  });
});

describe("load_line", () => {
  it("gives the lines of a file without the blanks around them, as texts", async () => {
    const files = { "conf/t.txt": "<blank>\r\n  7 \n\n${x}\n\u001f\u00a0b\u0085\n???" };
    expect(await read("a: ${load_line:t.txt}\n", files)).toEqual({ a: ["<blank>", "7", "", "${x}", "b", "???"] });
  });

  it("gives an empty list for an empty file, and no line for a final line break", async () => {
    const files = { "conf/t.txt": "", "conf/u.txt": "x\n" };
    expect(await read("a: ${load_line:t.txt}\nb: ${load_line:u.txt}\n", files)).toEqual({ a: [], b: ["x"] });
  });

  it("reads a path in quotes, and an absolute one of the project", async () => {
    const { folder } = await load("a: 1\n", { "my tokens.txt": "x" });
    writeFileSync(
      join(folder, "conf/main.yaml"),
      `a: \${load_line:'../my tokens.txt'}\nb: \${load_line:"${folder}/my tokens.txt"}\n`,
    );
    expect(await loadConfig(join(folder, "conf/main.yaml"))).toEqual({ a: ["x"], b: ["x"] });
  });

  it.each([
    ["${load_line:no.txt}", /there is no file \S+conf\/no\.txt/],
    ["${load_line:.}", /it is a directory, not a regular file/],
    ["${load_line:3}", /3 is not a path/],
    ["${load_line:}", /it takes 1 arguments and got 0/],
    ["${load_line:bad.txt}", /bad\.txt is not UTF-8 text/],
  ])("names what is wrong with %s", async (text, message) => {
    await expect(read(`a: ${text}\n`, { "conf/bad.txt": Uint8Array.of(0x61, 0xff) })).rejects.toThrow(message);
  });

  it("opens no pipe and no huge file", async () => {
    const { folder } = await load("a: 1\n");
    execFileSync("mkfifo", [join(folder, "conf/pipe")]);
    writeFileSync(join(folder, "conf/huge"), "");
    truncateSync(join(folder, "conf/huge"), 17 * 1024 * 1024);
    const path = join(folder, "conf/main.yaml");
    await expect(loadConfig(path, ["a=${load_line:conf/x}"])).rejects.toThrow("there is no file");
    writeFileSync(path, "a: ${load_line:pipe}\n");
    await expect(loadConfig(path)).rejects.toThrow("it is a pipe, not a regular file");
    writeFileSync(path, "a: ${load_line:huge}\n");
    await expect(loadConfig(path)).rejects.toThrow("huge is larger than 16 MiB");
  });
});

describe("load_yaml", () => {
  const files = { "conf/other.yaml": "a: 5\nb: ${a}\nc: {d: [1, '${a}'], e: '${.d}'}\nn: null\nm: ???\n" };

  it("gives the value of a key, in which interpolations refer to that file", async () => {
    const yaml =
      "a: 1\nx: ${load_yaml:other.yaml,b}\ny: v${load_yaml:other.yaml,c.d.1}\nz: ${load_yaml:other.yaml,c}\n";
    expect(await read(yaml, files)).toEqual({ a: 1, x: 5, y: "v5", z: { d: [1, 5], e: [1, 5] } });
  });

  it("gives the whole file without a key", async () => {
    expect(await read("x: ${load_yaml:o.yaml}\n", { "conf/o.yaml": "a: 1\nb: ${a}\n" })).toEqual({ x: { a: 1, b: 1 } });
  });

  it.each([
    ["nope", /other\.yaml: there is no key nope/],
    ["n", /other\.yaml: n is null/],
    ["m", /other\.yaml: m is \?\?\? and has to be given/],
    ["c.q", /other\.yaml: there is no key q in c/],
  ])("is an error that names the key %s", async (key, message) => {
    await expect(read(`x: \${load_yaml:other.yaml,${key}}\n`, files)).rejects.toThrow(message);
  });

  it("refuses a file that reads itself", async () => {
    const circle = { "conf/o.yaml": "a: ${load_yaml:p.yaml,a}\n", "conf/p.yaml": "a: ${load_yaml:o.yaml,a}\n" };
    await expect(read("x: ${load_yaml:o.yaml,a}\n", circle)).rejects.toThrow(
      /o\.yaml -> \S+p\.yaml -> \S+o\.yaml: the file reads itself/,
    );
  });
});

describe("files that a config may read", () => {
  const outside = () => {
    const path = join(temporaryFolder(), "token");
    writeFileSync(path, "s3cret");
    return path;
  };

  it.each(["load_line", "load_yaml"])("are those of its project: %s refuses any other by its path", async (name) => {
    const path = outside();
    const error = await read(`a: \${${name}:"${path}"}\n`).catch(String);
    expect(error).toMatch(`${path} is outside of `);
    expect(error).not.toContain("s3cret");
  });

  it("are not reached through a link, nor by ..", async () => {
    const { folder } = await load("a: 1\n");
    symlinkSync(outside(), join(folder, "conf/link"));
    for (const [text, name] of [
      ["link", "link"],
      ["../../x", "x"],
    ] as const) {
      writeFileSync(join(folder, "conf/main.yaml"), `a: \${load_line:${text}}\n`);
      writeFileSync(join(folder, "../x"), "s3cret");
      await expect(loadConfig(join(folder, "conf/main.yaml"))).rejects.toThrow(new RegExp(`${name} is outside of`));
    }
  });

  it.each([".env", ".ssh/id", "sub/.git/config"])("are not hidden: %s", async (name) => {
    const text = `a: \${load_line:../${name}}\n`;
    await expect(read(text, { [name]: "s3cret" })).rejects.toThrow(/is hidden, and a config reads no hidden files/);
  });

  it("are those of the recipe, for a recipe without a package.json above it", async () => {
    const folder = writeFiles({
      "egs3/talk/asr/conf/training.yaml": "a: ${load_line:../data/t.txt}\n",
      "egs3/talk/asr/data/t.txt": "x",
      "egs3/talk/other.txt": "y",
    });
    const path = join(folder, "egs3/talk/asr/conf/training.yaml");
    expect(await loadConfig(path)).toEqual({ a: ["x"] });
    writeFileSync(path, "a: ${load_line:../../other.txt}\n");
    await expect(loadConfig(path)).rejects.toThrow(/other\.txt is outside of \S+asr,/);
  });

  it("are relative to the working directory where the path is made of other values", async () => {
    const folder = writeFiles({ "package.json": "{}", "conf/main.yaml": "d: conf\na: ${load_line:${d}/t.txt}\n" });
    const error = await loadConfig(join(folder, "conf/main.yaml")).catch(String);
    expect(error).toContain(`there is no file ${join(process.cwd(), "conf/t.txt")}`);
  });

  it("are any that a resolver of your own reads", async () => {
    registerResolver("load_line", (path: string) => [`own ${path}`]);
    try {
      expect(await read("a: ${load_line:/elsewhere}\n")).toEqual({ a: ["own /elsewhere"] });
    } finally {
      removeResolver("load_line");
    }
  });

  it("are none in an expression of a run folder", () => {
    expect(() => resolveExpression("${load_line:/etc/hostname}", "a")).toThrow(
      "it works in the file of a config alone",
    );
  });

  it("are reported to the command, which asks whether they are trusted, before their values are used", async () => {
    const folder = writeFiles({
      "conf/main.yaml": "defaults: [base]\na: ${load_yaml:o.yaml,x}\nb: ${load_line:t.txt}\n",
      "conf/base.yaml": "",
      "conf/o.yaml": "x: 1\n",
      "conf/t.txt": "1\n",
    });
    mkdirSync(join(folder, "out"));
    const seen: string[] = [];
    await loadConfig(join(folder, "conf/main.yaml"), [], { onRead: (path) => seen.push(path) });
    expect(seen.map((path) => path.slice(path.indexOf("conf")))).toEqual(["conf/base.yaml", "conf/o.yaml"]);
  });
});
