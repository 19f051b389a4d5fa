import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { CodeSnapshot, CodeSource } from "../../../src/code/code-snapshot.ts";
import { compareCode, describeCodeChange, policyFor } from "../../../src/code/compare-code.ts";
import { digestCode } from "../../../src/code/digest-code.ts";
import { isUnchanged } from "../../../src/code/is-unchanged.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function project(files: Readonly<Record<string, string>>) {
  const dir = temporaryFolder();
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  };
  for (const [name, text] of Object.entries({ "package.json": '{ "name": "corpus" }', ...files })) write(name, text);
  const source = (...modules: readonly string[]): CodeSource => ({
    classes: modules.map((name, i) => ({ name: `Class${i}`, module: pathToFileURL(join(dir, name)).href })),
    targets: [],
    cwd: dir,
  });
  return { dir, write, source, digest: (...modules: readonly string[]) => digestCode(source(...modules)) };
}

const namesIn = ({ files }: CodeSnapshot) => Object.keys(files);
const changesOf = (before: CodeSnapshot, after: CodeSnapshot) => {
  const change = compareCode(before, after);
  return change === undefined ? [] : describeCodeChange(change);
};

describe("the code of a run", () => {
  it("is the module and all that it imports, whichever way it is written", () => {
    const { digest } = project({
      "main.ts": [
        'import { a } from "./a.js"; import type { T } from "./types";',
        'export * from "./b/index.mjs"; import "./c.cjs";',
        'const d = await import("./d"); const e = require("./e.json");',
        'const f = new Worker(new URL("./f.js", import.meta.url)); const g = new URL("./data.jsonl", import.meta.url);',
        "const h = await import(`./h.js`); import i = require('./i.cts');",
      ].join("\n"),
      "a.ts": 'import "./main.ts"; import "./deep/a2.js";',
      "deep/a2.tsx": "",
      "types.d.ts": "",
      "types.ts": "",
      "b/index.mts": "",
      "c.cjs": "",
      "d/index.js": "",
      "e.json": "{}",
      "f.js": "",
      "h.js": "",
      "i.cts": "",
      "data.jsonl": "",
      "unused.ts": "",
    });
    const code = digest("main.ts");
    expect(namesIn(code)).toEqual([
      "a.ts",
      "b/index.mts",
      "c.cjs",
      "d/index.js",
      "deep/a2.tsx",
      "e.json",
      "f.js",
      "h.js",
      "i.cts",
      "main.ts",
      "types.ts",
    ]);
    expect(code).toMatchObject({ own: ["main.ts"], unresolved: [] });
  });

  it("follows the aliases of package.json and of tsconfig.json, and names of the project itself", () => {
    const { digest } = project({
      "package.json":
        '{ "name": "corpus", "imports": { "#lib/*": { "default": "./lib/*.js" } }, "exports": { "./x": "./x.js" } }',
      "tsconfig.json": '{ // aliases\n "compilerOptions": { "paths": { "@/*": ["./src/*"], }, } }',
      "main.ts": 'import "#lib/a"; import "@/b"; import "corpus/x";',
      "lib/a.js": "",
      "src/b.ts": "",
      "x.js": "",
    });
    expect(namesIn(digest("main.ts"))).toEqual(["lib/a.js", "main.ts", "src/b.ts", "x.js"]);
  });

  it("counts packages by name and version, links of a package manager too, and linked packages of the user's by file", () => {
    const { dir, digest, write } = project({
      "main.js":
        'import "one/deep"; import "@scope/two"; import "three"; import "millrace"; import "node:fs"; import "fs";',
      "node_modules/one/package.json": '{ "name": "one", "version": "1.2.3" }',
      "node_modules/.store/two/node_modules/@scope/two/package.json": '{ "name": "@scope/two", "version": "2.0.0" }',
      "packages/three/package.json": '{ "name": "three", "version": "0.0.0", "exports": "./three.js" }',
      "packages/three/three.js": 'import "./more.js";',
      "packages/three/more.js": "",
    });
    mkdirSync(join(dir, "node_modules/@scope"));
    symlinkSync(join(dir, "node_modules/.store/two/node_modules/@scope/two"), join(dir, "node_modules/@scope/two"));
    symlinkSync(join(dir, "packages/three"), join(dir, "node_modules/three"));
    const before = digest("main.js");
    expect(namesIn(before)).toEqual(["main.js", "packages/three/more.js", "packages/three/three.js"]);
    expect(before.packages).toMatchObject({
      one: { version: "1.2.3" },
      "@scope/two": { version: "2.0.0" },
      millrace: { version: expect.stringMatching(/^\d/) },
    });
    write("node_modules/one/package.json", '{ "name": "one", "version": "1.3.0" }');
    write("packages/three/more.js", "export {};");
    expect(changesOf(before, digest("main.js"))).toEqual([
      "packages/three/more.js: changed",
      "package one: 1.2.3 -> 1.3.0",
    ]);
  });

  it("notes what it cannot find, and continues", () => {
    const { digest } = project({
      "main.js": 'import "./gone.js"; import "nowhere"; import "https://example.org/x.js";',
    });
    expect(digest("main.js")).toMatchObject({
      own: ["main.js"],
      unresolved: ["./gone.js", "https://example.org/x.js", "nowhere"],
    });
  });

  it("is the text of a class that names no module, or one that is not there", () => {
    const { dir } = project({});
    const digest = (text: string, module?: string) =>
      digestCode({ classes: [{ name: "Prep", module, text: () => text }], targets: [], cwd: dir });
    expect(digest("class Prep { a = 1 }").own).toEqual(["class Prep"]);
    expect(changesOf(digest("class Prep { a = 1 }"), digest("class Prep { a = 1 /* one */ }"))).toEqual([]);
    const gone = pathToFileURL(join(dir, "[eval1]")).href;
    expect(changesOf(digest("class Prep { a = 1 }", gone), digest("class Prep { a = 2 }", gone))).toEqual([
      "class Prep: changed",
    ]);
  });

  it("does not change with comments in the module of a class, and does with any byte where markup is allowed", () => {
    const { digest, write } = project({ "main.ts": "const a = 1;", "page.tsx": "const a = <p>a b</p>;" });
    const before = { main: digest("main.ts"), page: digest("page.tsx") };
    write("main.ts", "// one\nconst a = 1; /* two */\n");
    expect(changesOf(before.main, digest("main.ts"))).toEqual([]);
    write("page.tsx", "const a = <p>a  b</p>;");
    expect(changesOf(before.page, digest("page.tsx"))).toEqual(["page.tsx: changed"]);
  });

  it("changes with any byte of an imported module, whose digest it is given", () => {
    const { digest, write } = project({ "main.ts": 'import "./a.ts";', "a.ts": "const a = 1;" });
    const before = digest("main.ts");
    write("a.ts", "const a = 1; // one");
    expect(changesOf(before, digest("main.ts"))).toEqual(["a.ts: changed"]);
  });

  it("is the same after a package.json has appeared above it", () => {
    const { digest, write } = project({ "sub/main.js": 'import "../lib/a.js";', "lib/a.js": "" });
    const before = digest("sub/main.js");
    write("sub/package.json", "{}");
    const after = digest("sub/main.js");
    expect(namesIn(after)).not.toEqual(namesIn(before));
    expect(changesOf(before, after)).toEqual([]);
  });
});

describe("a change of the code", () => {
  const files = { "main.js": 'import "./a.js";', "provider.js": "", "a.js": "", "b.js": "" };

  it.each([
    ["the module of the runner", "main.js", 'import "./a.js"; let x;', "refuse"],
    ["the module of the provider", "provider.js", "let x;", "refuse"],
    ["an import", "a.js", "let x;", "warn"],
    ["an import that is new", "a.js", 'import "./b.js";', "warn"],
  ] as const)("of %s asks for its reaction, unless one is given", (_what, name, text, reaction) => {
    const { digest, write } = project(files);
    const before = digest("main.js", "provider.js");
    write(name, text);
    const change = compareCode(before, digest("main.js", "provider.js"))!;
    expect(policyFor(change, undefined)).toBe(reaction);
    expect(policyFor(change, "accept")).toBe("accept");
  });

  it("names what was added and removed", () => {
    const { digest, write } = project(files);
    const before = digest("main.js");
    write("main.js", 'import "./b.js";');
    expect(changesOf(before, digest("main.js"))).toEqual(["a.js: removed", "b.js: added", "main.js: changed"]);
  });
});

describe("size and times of the files", () => {
  // The time of a change of the inode cannot be set: the note is made as if it were older.
  const aged = ({ files, ...others }: CodeSnapshot, stamp: (name: string) => string): CodeSnapshot => ({
    ...others,
    files: Object.fromEntries(
      Object.entries(files).map(([name, { sha256 }]) => [name, { sha256, stamp: stamp(name) }]),
    ),
  });

  it("are not noted of a file that was changed a moment ago: its next change might not be seen", () => {
    const { dir, digest } = project({ "main.js": "" });
    utimesSync(join(dir, "main.js"), 1, 1);
    expect(digest("main.js").files["main.js"]).not.toHaveProperty("stamp");
  });

  it("say that nothing has changed only where all of them are the same, for the same modules", async () => {
    const { statSync } = await import("node:fs");
    const { dir, digest, source, write } = project({ "main.js": 'import "./a.js"', "a.js": "", "b.js": "" });
    const stampOf = (name: string) => {
      const { size, mtimeMs, ctimeMs } = statSync(join(dir, name));
      return `${size} ${mtimeMs} ${ctimeMs}`;
    };
    expect(isUnchanged(digest("main.js"), source("main.js"))).toBe(false);
    const noted = aged(digest("main.js"), stampOf);
    expect(isUnchanged(noted, source("main.js"))).toBe(true);
    expect(isUnchanged(noted, source("main.js", "b.js"))).toBe(false);
    expect(isUnchanged(noted, { ...source("main.js"), targets: [join(dir, "b.js")] })).toBe(false);
    write("a.js", "let x;");
    expect(isUnchanged(noted, source("main.js"))).toBe(false);
  });
});
