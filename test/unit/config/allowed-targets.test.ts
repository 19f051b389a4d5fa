import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type InstantiateOptions, instantiate } from "../../../src/config/instantiate.ts";
import { millraceTargets } from "../../../src/config/millrace-targets.ts";
import { writeFiles } from "../../support/write-files.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const say = (text: string) => `export const say = () => "${text}";`;
const packageFile = (name: string) =>
  JSON.stringify({ name, type: "module", exports: { ".": "./index.js", "./sub": "./index.js" } });

/** An installed package of one module, as npm would put it there. */
function installed(name: string, below = ""): Record<string, string> {
  const folder = `${below}node_modules/${name}`;
  return { [`${folder}/package.json`]: packageFile(name), [`${folder}/index.js`]: say(name) };
}

const project = {
  "package.json": JSON.stringify({
    name: "me",
    type: "module",
    dependencies: { direct: "1", renamed: "npm:millrace@1" },
    devDependencies: { dev: "1" },
    optionalDependencies: { optional: "1" },
    peerDependencies: { "@scope/peer": "1" },
  }),
  "own.js": `${say("own")}
export class Model { static make() { return "made"; } static get late() { globalThis.canary = "run"; return () => "late"; } }
export const table = { get late() { globalThis.canary = "run"; return () => "late"; } };
`,
  ...installed("direct"),
  ...installed("dev"),
  ...installed("optional"),
  ...installed("@scope/peer"),
  ...installed("transitive"),
  ...installed("inner", "node_modules/direct/"),
};

/** Vitest would transform what it imports; a user's program does not. */
const importModule = (url: string) => import(/* @vite-ignore */ url) as Promise<Record<string, unknown>>;

function make(target: string, projectRoot: string, options: InstantiateOptions = {}): Promise<unknown> {
  return instantiate({ _target_: target }, { projectRoot, importModule, ...options });
}

const refused = (message: string) => ({ code: "BAD_TARGET", message: expect.stringContaining(message) });

describe("what a target can reach", () => {
  it.each([
    ["./own.js#say", "own"],
    ["./own.js#Model.make", "made"],
    ["direct#say", "direct"],
    ["direct/sub#say", "direct"],
    ["dev#say", "dev"],
    ["optional#say", "optional"],
    ["@scope/peer#say", "@scope/peer"],
  ])("%s: files of the project and packages that its package.json names", async (target, said) => {
    expect(await make(target, writeFiles(project))).toBe(said);
  });

  it("no package that others have brought in, and the error says where to add it", async () => {
    const folder = writeFiles(project);
    await expect(make("transitive#say", folder)).rejects.toMatchObject({
      ...refused("the package transitive is installed, but the project does not list it"),
      hint: expect.stringMatching(/^Add it to package\.json: npm install transitive\./),
    });
    await expect(make("inner#say", folder)).rejects.toMatchObject(refused("no package inner is installed"));
  });

  it.each(["./node_modules/transitive/index.js#say", "./node_modules/direct/index.js#say", "./link.js#say"])(
    "%s: no file of a package, also not by a path",
    async (target) => {
      const folder = writeFiles(project);
      symlinkSync(join(folder, "node_modules/transitive/index.js"), join(folder, "link.js"));
      await expect(make(target, folder)).rejects.toMatchObject({
        ...refused("it is a file of an installed package"),
        hint: expect.stringContaining("package#Export"),
      });
    },
  );

  it("a package of the same workspace, and one that the package.json beside its node_modules names", async () => {
    const folder = writeFiles({
      "package.json": '{ "workspaces": ["packages/*"], "dependencies": { "hoisted": "1" } }',
      ...installed("hoisted"),
      ...installed("deep"),
      "packages/one/package.json": '{ "name": "one", "type": "module" }',
      "packages/two/package.json": packageFile("two"),
      "packages/two/index.js": say("two"),
    });
    symlinkSync(join(folder, "packages/two"), join(folder, "node_modules/two"));
    const one = join(folder, "packages/one");
    expect(await make("two#say", one)).toBe("two");
    expect(await make("hoisted#say", one)).toBe("hoisted");
    await expect(make("deep#say", one)).rejects.toMatchObject(refused("the project does not list it"));
  });

  it("a linked package from elsewhere only where it is listed", async () => {
    const elsewhere = writeFiles({ "package.json": packageFile("linked"), "index.js": say("linked") });
    const folder = writeFiles(project);
    symlinkSync(elsewhere, join(folder, "node_modules/linked"));
    await expect(make("linked#say", folder)).rejects.toMatchObject(refused("the project does not list it"));
    writeFileSync(join(folder, "package.json"), '{ "dependencies": { "linked": "file:../linked" } }');
    expect(await make("linked#say", folder)).toBe("linked");
  });

  it("what the program that calls instantiate allows", async () => {
    const folder = writeFiles(project);
    expect(await make("transitive#say", folder, { allow: ["transitive"] })).toBe("transitive");
    await expect(make("transitive#say", folder, { allow: ["other"] })).rejects.toMatchObject(refused("not list it"));
    const text = "transitive" as unknown as string[];
    await expect(make("transitive#say", folder, { allow: text })).rejects.toMatchObject({ code: "BAD_OPTION" });
  });

  it.each(["./own.js#Model.late", "./own.js#table.late"])("%s: no getter, which is not even called", async (target) => {
    await expect(make(target, writeFiles(project))).rejects.toMatchObject(refused("late is a getter"));
    expect((globalThis as { canary?: string }).canary).toBeUndefined();
  });

  it.each(["./own.js#constructor", "./own.js#toString", "./own.js#Model.constructor", "./own.js#Model.bind"])(
    "%s: nothing that every object has",
    async (target) => {
      await expect(make(target, writeFiles(project))).rejects.toMatchObject({ code: "BAD_TARGET" });
    },
  );
});

describe("the targets of millrace itself", () => {
  const entries = Object.keys(millraceTargets);
  const file = (entry: string) => join(repository, "src", entry === "." ? "index.ts" : `${entry.slice(2)}.ts`);

  /** A project in which millrace is installed, but not listed: a config may name its targets nevertheless. */
  function withMillrace(name = "millrace"): string {
    const folder = writeFiles(project);
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(repository, place);
    return folder;
  }

  it("are the entries of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { exports: object };
    expect([...entries, "./package.json"].sort()).toEqual(Object.keys(exports).sort());
  });

  it.each(entries)(
    "%s: those that are marked are there, and all others are refused before they are called",
    async (entry) => {
      const module = (await import(/* @vite-ignore */ file(entry))) as Record<string, unknown>;
      const callable = Object.keys(module).filter((name) => typeof module[name] === "function");
      const marked = millraceTargets[entry]!;
      expect(marked.filter((name) => !callable.includes(name))).toEqual([]);
      const folder = withMillrace();
      let calls = 0;
      const counting = async () => Object.fromEntries(callable.map((name) => [name, () => ++calls]));
      const specifier = `millrace${entry.slice(1)}`;
      for (const name of callable) {
        const made = make(`${specifier}#${name}`, folder, { importModule: counting });
        if (marked.includes(name)) await made;
        else await expect(made, name).rejects.toMatchObject(refused(`${name} of millrace is not a target`));
      }
      expect(calls).toBe(marked.length);
    },
  );

  it("are providers and runners, and what makes values: nothing that writes, starts something or reads a config", () => {
    const all = entries.flatMap((entry) => millraceTargets[entry]!);
    expect(all).toEqual(expect.arrayContaining(["PrepProvider", "PrepRunner", "InferenceRunner", "commonCollateFn"]));
    expect(
      all.filter((name) => /write|merge|append|share|extract|prepare|collectStats$|instantiate|config/i.test(name)),
    ).toEqual([]);
    expect(all.filter((name) => /^(?:run|set|register|remove|define)[A-Z]/.test(name))).toEqual([]);
  });

  it.each([
    ["millrace/formats#writeTsv", "writeTsv of millrace is not a target"],
    ["millrace#instantiate", "instantiate of millrace is not a target"],
    ["millrace/recipes#PrepRunner.openWriters", "PrepRunner.openWriters of millrace is not a target"],
    ["millrace/recipes#PrepRuner", "Did you mean PrepRunner?"],
  ])("%s is refused", async (target, message) => {
    await expect(make(target, withMillrace())).rejects.toMatchObject(refused(message));
  });

  it("are the same under another name", async () => {
    await expect(make("renamed/formats#writeTsv", withMillrace("renamed"))).rejects.toMatchObject(
      refused("writeTsv of millrace is not a target"),
    );
  });
});
