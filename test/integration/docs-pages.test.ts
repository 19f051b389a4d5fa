import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadOnnx } from "../../src/models/load-onnx.ts";
import { emptyFolder, type Outcome, program, repository, start } from "../support/cli/project.ts";
import { diagnoseAll, transpile } from "../support/diagnose.ts";
import { pythonWith } from "../support/formats/python.ts";
import { type Block, fileOf, readBlocks } from "../support/read-page.ts";

const pages = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => `docs/${name.replaceAll("\\", "/")}`)
  .filter((name) => name.endsWith(".md"))
  .sort();
/** What they show needs more than an empty folder, or does not end by itself: a test of its own starts it. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/calling-an-api.md": "test/integration/calling-an-api.test.ts",
  "docs/cli.md": "test/integration/cli-examples.test.ts",
  "docs/configs.md": "test/docs.test.ts",
  "docs/dashboard.md": "test/integration/cli-examples.test.ts",
  "docs/inference.md": "test/docs.test.ts",
  "docs/xvectors.md": "test/integration/xvector-cli.test.ts",
};
/** Programs that are compiled and not run, and why. */
const onlyCompiled: Readonly<Record<string, string>> = {
  "docs/clusters.md": "it leaves a million items to processes that outlive it",
  "docs/datasets-formats.md": "it reads a Kaldi folder through sph2pipe; test/unit/datasets has folders of its own",
  "docs/features.md": "it takes a model that we may not redistribute; test/unit/features has a stand-in for it",
  "docs/from-datatrove.md": "it takes a million documents",
  "docs/inference.md": "it hands data to others: in a folder of theirs, and on a hub",
};
const all = pages.map((page) => ({ page, blocks: readBlocks(page) }));
const typescript = all.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "ts"));

const bin = emptyFolder();
beforeAll(() => {
  writeProgram("millrace", `exec "${process.execPath}" "${program}" "$@"`);
  writeProgram("npx", 'shift\nexec millrace "$@"');
  // A fake of npm, which would fetch the package: it is this repository.
  writeProgram("npm", `mkdir -p node_modules && ln -sfn "${repository}" node_modules/millrace`);
});

function writeProgram(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** A project that has the package as a user's has it. */
function makeProject(): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(repository, join(folder, "node_modules", "millrace"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  return folder;
}

const named = ({ page, line }: Block) => `${page}:${line}`;

describe("the code of the documentation", () => {
  it("compiles in the strictest settings", () => {
    const folder = makeProject();
    const byFile = new Map(
      typescript.map((block, i) => {
        const file = join(folder, `block-${i}.mts`);
        writeFileSync(file, `${block.given}${block.text}\nexport {};\n`);
        return [file, block];
      }),
    );
    const problems = diagnoseAll([...byFile.keys()], { isPart: true }).map(({ file, line, message }) => {
      const block = byFile.get(file ?? "");
      if (block === undefined) return message;
      const above = block.given.split("\n").length - 1;
      return `${block.page}:${block.line + line - above}: ${message}`;
    });
    expect(problems).toEqual([]);
  });

  it("is run, but for what is listed with a reason", () => {
    // Of a page that has a test of its own, that runs the first.
    const isElsewhere = (block: Block) =>
      block.page in elsewhere && block === typescript.find(({ page }) => page === block.page);
    const idle = typescript.filter((block) => !block.words.includes("run") && !isElsewhere(block));
    expect(idle.map(({ page }) => page)).toEqual(Object.keys(onlyCompiled));
  });

  it("is run by the test that is named where another one does it", () => {
    for (const [page, file] of Object.entries(elsewhere))
      expect(readFileSync(join(repository, file), "utf8"), file).toContain(`describe("${page}"`);
  });

  it("is of languages that a test looks at, or is plain text", () => {
    const known = new Set(["ts", "js", "sh", "bash", "yaml", "json", "python", "text", ""]);
    const others = all.flatMap(({ blocks }) => blocks.filter(({ language }) => !known.has(language)));
    expect(others.map(named)).toEqual([]);
  });

  it("has YAML and JSON that can be read", () => {
    for (const block of all.flatMap(({ blocks }) => blocks))
      if (block.language === "yaml" || block.language === "json")
        expect(() => parse(block.text, { strict: true }), named(block)).not.toThrow();
  });
});

describe("the Python of the documentation", () => {
  const blocks = [...all.flatMap((entry) => entry.blocks), ...readBlocks("README.md")].filter(
    ({ language }) => language === "python",
  );
  const run = (python: string, block: Block, folder: string, args: readonly string[] = ["-"]) => {
    const input = `${block.given}${block.text}`;
    const { status, stderr } = spawnSync(python, args, { input, cwd: folder, encoding: "utf8" });
    expect({ at: named(block), stderr: status === 0 ? "" : stderr }).toEqual({ at: named(block), stderr: "" });
  };

  it("can be read by Python, also where it is written for another library", ({ skip }) => {
    const python = pythonWith("ast");
    skip(python === undefined, "there is no Python");
    for (const block of blocks)
      run(python!, block, emptyFolder(), ["-c", "import ast, sys; ast.parse(sys.stdin.read())"]);
  });

  it("runs as it is otherwise, and exports a model that takes utterances of any length", async ({ skip }) => {
    const python = pythonWith("torch");
    skip(python === undefined, "there is no Python with PyTorch");
    const folder = emptyFolder();
    for (const block of blocks.filter(({ words }) => !words.includes("nowhere"))) run(python!, block, folder);
    const model = await loadOnnx(join(folder, "model.onnx"));
    for (const frames of [120, 301]) {
      const feats = { dtype: "float32", shape: [2, frames, 80], data: new Float32Array(2 * frames * 80) } as const;
      expect((await model.run({ feats }))["embs"]!.shape).toEqual([2, 192]);
    }
  });
});

describe.concurrent("the commands and programs of", () => {
  const does = ({ language, words }: Block) =>
    (language === "sh" && !words.includes("nowhere")) || words.includes("run") || words.includes("job");
  const doing = all.filter(({ page, blocks }) => !(page in elsewhere) && blocks.some(does));

  it.each(doing.map(({ page, blocks }) => [page, blocks] as const))(
    "%s do what they say",
    async (_page, blocks) => {
      const shell = openShell(makeProject());
      let stdout = "";
      for (const block of blocks) {
        const { language, words, text, first } = block;
        if (first !== "") await shell.type(first, block);
        const file = fileOf(block);
        if (file !== undefined) writeFileSync(join(shell.folder(), file), text);
        else if (language === "sh" && !words.includes("nowhere")) ({ stdout } = await shell.type(text, block));
        else if (words.includes("run")) ({ stdout } = await shell.run(block));
        else if (words.includes("output")) expect(stdout, named(block)).toBe(text);
        else if (words.includes("job")) expect(jobOf(stdout, shell.folder()), named(block)).toBe(text);
      }
    },
    120_000,
  );
});

/** A shell that stays where the last commands went to. */
function openShell(home: string) {
  let cwd = home;
  const variables = () => ({ HOME: home, PATH: `${bin}:${process.env["PATH"]}`, MILLRACE_REPOSITORY: repository });
  const ended = async (words: readonly string[], block: Block): Promise<Outcome> => {
    const outcome = await start(["timeout", "100", ...words], cwd, variables()).ended;
    expect({ at: named(block), ...outcome }).toMatchObject({ status: 0 });
    return outcome;
  };
  return {
    folder: () => cwd,
    async type(text: string, block: Block): Promise<Outcome> {
      const place = join(home, "place");
      const outcome = await ended(["bash", "-euo", "pipefail", "-c", `${text}\npwd >"${place}"`], block);
      cwd = readFileSync(place, "utf8").trim();
      return outcome;
    },
    async run(block: Block): Promise<Outcome> {
      const file = join(cwd, `block-${block.line}.mjs`);
      writeFileSync(file, transpile(`${block.given}${block.text}`));
      return ended([process.execPath, basename(file)], block);
    },
  };
}

/** What `millrace plan` says of a job, with the names that the documentation has for what differs. */
function jobOf(stdout: string, folder: string): string {
  const [, job = stdout] = stdout.split("as follows\n\n");
  return `${job
    .replaceAll(join(repository, "dist"), "/home/me/corpus/node_modules/millrace/dist")
    .replaceAll(folder, "/home/me/corpus")
    .replaceAll(process.execPath, "/usr/bin/node")
    .replace(/millrace-[a-z0-9]{6}\b/g, "millrace-1a2b3c")
    .trimEnd()}\n`;
}
