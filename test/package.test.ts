// The package as users get it: packed, installed into an empty project, compiled against and run.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");
const folder = mkdtempSync(join(tmpdir(), "millrace-package-"));
const project = join(folder, "project");
const installed = join(project, "node_modules", "millrace");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  expect({ program, args, error, status, said: status === 0 ? "" : stderr + stdout }).toEqual({
    program,
    args,
    error: undefined,
    status: 0,
    said: "",
  });
  return stdout;
}

interface Sbom {
  readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
}

function readSbom(): Sbom {
  const path = join(folder, "sbom.json");
  run(process.execPath, [join(root, "scripts", "sbom.mjs"), path], folder);
  return JSON.parse(readFileSync(path, "utf8")) as Sbom;
}

const nameOf = ({ group, name }: Sbom["components"][number]) => (group === undefined ? name : `${group}/${name}`);

let tarball: string;

beforeAll(() => {
  const packed = run("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder], root);
  tarball = join(folder, packed.trim().split("\n").at(-1)!);
  mkdirSync(project);
  // What it needs comes from this repository: the test works without a network.
  const needed = readSbom().components.map((entry) => [nameOf(entry), `file:${join(modules, nameOf(entry))}`]);
  const dependencies = { ...Object.fromEntries(needed), millrace: `file:${tarball}` };
  const description = { name: "a-user", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description));
  const flags = ["--offline", "--ignore-scripts", "--omit=peer", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", ...flags], project);
}, 300_000);

const filesBelow = (dir: string) =>
  readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(dir, name)).isFile());

const onBusyMachines = { timeout: 300_000 };

describe("the tarball", () => {
  it("holds the build, the documentation, the examples and what a reader expects, and nothing else", () => {
    const names = filesBelow(installed);
    const others = names.filter(
      (name) =>
        !/^dist\/(.*(\.c?js|\.d\.ts)|web\/[\w./-]+)$|^docs\/[\w./-]+\.(md|svg|png)$|^examples\/[\w./-]+$/.test(name),
    );
    expect(others.filter((name) => name !== "dist/.built").sort()).toEqual([
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "package.json",
    ]);
    expect(names.filter((name) => /\b(test|bench|fixtures)\b/.test(name))).toEqual([]);
    const bytes = names.reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
    const inMegabytes = (size: number) => `${(size / 1e6).toFixed(2)} MB`;
    console.log(`${names.length} files, ${inMegabytes(statSync(tarball).size)} packed, ${inMegabytes(bytes)} unpacked`);
  });

  it("holds what its pages link to", () => {
    const broken = filesBelow(installed)
      .filter((name) => name.endsWith(".md"))
      .flatMap((name) => {
        const text = readFileSync(join(installed, name), "utf8").replace(/^```[\s\S]*?^```/gm, "");
        const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, link]) => link!);
        return links
          .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(installed, dirname(name), link)))
          .map((link) => `${name}: ${link}`);
      });
    expect(broken).toEqual([]);
  });

  it("makes a project that runs without a network and without npm install", onBusyMachines, () => {
    const said = run(process.execPath, [join(installed, "dist", "cli", "millrace.js"), "init", "corpus"], project);
    expect(said).not.toContain("npm install");
    const corpus = join(project, "corpus");
    const env = ["--offline", "millrace", "run", "prep.yaml"];
    expect(run("npx", env, corpus)).toContain("exp/prep: complete\n");
    expect(run("npm", ["test"], corpus)).toMatch(/pass 2/);
  });

  it("has workers that do not load what only drives a run", () => {
    const loaded = (name: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(name)) return seen;
      seen.add(name);
      const text = readFileSync(join(root, "dist", name), "utf8");
      for (const [, part] of text.matchAll(/^(?:import|export)[^"]*"\.\/([^"]+)"/gm)) loaded(part!, seen);
      return seen;
    };
    const holds = (parts: Iterable<string>, code: string) =>
      [...parts].some((part) => readFileSync(join(root, "dist", part), "utf8").includes(code));
    const drives = "async function driveRun(";
    expect(
      holds(
        readdirSync(join(root, "dist")).filter((name) => name.endsWith(".js")),
        drives,
      ),
    ).toBe(true);
    for (const entry of ["worker-process.js", "worker-thread.js", "index.js"]) {
      expect(holds(loaded(entry), "async function runShard(")).toBe(true);
      expect(holds(loaded(entry), drives)).toBe(false);
    }
  });

  it("says nothing of the machine that made it", () => {
    const own = [root.replace(/\/$/, ""), dirname(root.replace(/\/$/, "")), homedir()].filter(
      (path) => path.length > 2,
    );
    const revealing = filesBelow(installed).filter((name) => {
      const text = readFileSync(join(installed, name), "utf8");
      return own.some((path) => text.includes(`${path}/`)) || text.includes("sourceMappingURL");
    });
    expect(revealing).toEqual([]);
  });

  it("has types that every resolver of today finds", onBusyMachines, () => {
    const attw = join(modules, "@arethetypeswrong", "cli", "dist", "index.js");
    run(process.execPath, [attw, tarball, "--profile", "esm-only", "--no-color", "--no-emoji"], folder);
  });
});

// Plain JavaScript, and as TypeScript without a type written down.
const hello = readFileSync(join(root, "examples", "hello", "main.mjs"), "utf8");

/** What the compiler says about a file of the project, the declarations of the package included. */
function compile(file: string, options: ts.CompilerOptions): string[] {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    // Without those of browsers.
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    typeRoots: [join(modules, "@types")],
    outDir: join(dirname(file), "out"),
    ...options,
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return problems.map(({ messageText, file: where }) => {
    return `${where?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("a project with it", () => {
  const wanted =
    /^9990 records in exp\/hello\/records\.jsonl; the last one: \{ idx: 9998, text: 'hello Katherine' \}\n$/;
  const rest = `
    import { decodeNpy, encodeNpy, ndArray } from "millrace/formats";
    import { collectStats, InferenceRunner } from "millrace/recipes";
    import { fbank, loadOnnx } from "millrace/speech";
    export const all = [decodeNpy, encodeNpy, ndArray, collectStats, InferenceRunner, fbank, loadOnnx];
    const { hello } = await import("./main.js");
    export const records: { idx: number; text: string }[] = await hello.run([1, 2]);
  `;

  it.each([
    [
      "NodeNext",
      { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: false },
    ],
    [
      "Bundler",
      { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true },
    ],
  ])(
    "compiles hello without a type written down, and runs it (module resolution %s)",
    onBusyMachines,
    (name, options) => {
      const place = join(project, name);
      mkdirSync(place);
      writeFileSync(join(place, "main.ts"), hello);
      writeFileSync(join(place, "rest.ts"), rest);
      expect(compile(join(place, "rest.ts"), options)).toEqual([]);
      expect(run(process.execPath, ["out/main.js"], place)).toMatch(wanted);
    },
  );

  it("runs hello in JavaScript", () => {
    const place = join(project, "javascript");
    cpSync(join(root, "examples", "hello"), place, { recursive: true });
    expect(run(process.execPath, ["main.mjs"], place)).toMatch(wanted);
  });

  it("has the command line, which explains errors without a network", () => {
    const program = join(project, "node_modules", ".bin", "millrace");
    expect(run(program, ["explain", "RUN_CHANGED"], project)).toMatch(/^# RUN_CHANGED\n/);
  });
});

describe("hover text", () => {
  it("is there for everything that is exported", () => {
    const entries = ["index", "formats", "speech", "recipes"].map((name) => join(root, "dist", `${name}.d.ts`));
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] };
    const program = ts.createProgram(entries, options);
    const checker = program.getTypeChecker();
    const exported = entries.flatMap((entry) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!),
    );
    const bare = exported.filter((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return target.getDocumentationComment(checker).length === 0;
    });
    expect(exported.length).toBeGreaterThan(300);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});

describe("scripts/sbom.mjs", () => {
  it("names every package of production with its version, and those that they need", () => {
    const { components } = readSbom();
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(Object.fromEntries(components.map((entry) => [nameOf(entry), entry.version]))).toMatchObject(dependencies);
    expect(components.length).toBeGreaterThan(Object.keys(dependencies).length);
  });
});
