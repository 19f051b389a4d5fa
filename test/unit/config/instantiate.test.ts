import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type InstantiateOptions, instantiate } from "../../../src/config/instantiate.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

const things = `
export class Model {
  constructor(...args) { this.args = args; }
  static create(...args) { return { by: this.name, args }; }
}
export function build(...args) { return { built: args }; }
export const arrow = (...args) => ({ arrow: args });
export async function later(config) { return { later: config }; }
export function fails() { throw new Error("no luck"); }
export const number = 5;
export default function byDefault() { return "default"; }
`;

const project = {
  "package.json": JSON.stringify({
    name: "me",
    type: "module",
    dependencies: { plain: "1", "@scope/esm": "1", ws: "file:../ws" },
  }),
  "things.js": things,
  "conf/c.yaml": "",
  "node_modules/plain/package.json": '{"name": "plain", "main": "lib/main.js"}',
  "node_modules/plain/lib/main.js": "exports.Thing = class Thing { constructor(c) { this.c = c; } };",
  "node_modules/plain/lib/sub.js": "exports.sub = () => 'sub';",
  "node_modules/@scope/esm/package.json": JSON.stringify({
    name: "@scope/esm",
    type: "module",
    exports: {
      ".": { require: "./no.cjs", import: "./index.js" },
      "./features/*": "./src/*.js",
      "./hidden/*": null,
      "./escape": "./../../../things.js",
    },
  }),
  "node_modules/@scope/esm/index.js": "export const which = () => 'esm';",
  "node_modules/@scope/esm/src/one.js": "export const one = () => 1;",
  "node_modules/@scope/esm/hidden/x.js": "export const x = () => 1;",
};

/** Vitest would transform what it imports; a user's program does not. */
const importModule = (url: string) => import(/* @vite-ignore */ url) as Promise<Record<string, unknown>>;

async function make(yaml: string, options: InstantiateOptions = {}, files: Record<string, string> = {}) {
  const folder = writeFiles({ ...project, ...files, "conf/c.yaml": yaml });
  return instantiate(await loadConfig(join(folder, "conf/c.yaml")), { importModule, ...options });
}

describe("instantiate", () => {
  it.each<[string, string, unknown]>([
    [
      "a class gets its keys as one object",
      "_target_: ./things.js#Model\na: 1\nb: [2]\n",
      { args: [{ a: 1, b: [2] }] },
    ],
    ["also if there are none", "_target_: ./things.js#Model\n", { args: [{}] }],
    ["a function is called the same way", "_target_: ./things.js#build\na: 1\n", { built: [{ a: 1 }] }],
    ["and so is an arrow function", "_target_: ./things.js#arrow\n", { arrow: [{}] }],
    ["_args_ come first", "_target_: ./things.js#build\n_args_: [1, x]\na: 1\n", { built: [1, "x", { a: 1 }] }],
    ["and alone without keys", "_target_: ./things.js#build\n_args_: [1]\n", { built: [1] }],
    ["a promise is waited for", "_target_: ./things.js#later\na: 1\n", { later: { a: 1 } }],
    ["the default export has a name", "_target_: ./things.js#default\n", "default"],
    [
      "a static method knows its class",
      "_target_: ./things.js#Model.create\na: 1\n",
      { by: "Model", args: [{ a: 1 }] },
    ],
    ["a package is found", "_target_: plain#Thing\na: 1\n", { c: { a: 1 } }],
    ["a file of a package", "_target_: plain/lib/sub.js#sub\n", "sub"],
    ["a file of a package without its ending", "_target_: plain/lib/sub#sub\n", "sub"],
    ["what import would take", "_target_: '@scope/esm#which'\n", "esm"],
    ["a pattern of exports", "_target_: '@scope/esm/features/one#one'\n", 1],
  ])("%s", async (_what, yaml, expected) => {
    expect(await make(yaml)).toEqual(expected);
  });

  it("makes nested objects first", async () => {
    const made = await make(
      "_target_: ./things.js#build\nm: {_target_: ./things.js#arrow, x: 1}\nl: [{_target_: ./things.js#default}]\n",
    );
    expect(made).toEqual({ built: [{ m: { arrow: [{ x: 1 }] }, l: ["default"] }] });
  });

  it("walks through sections and lists that are not targets", async () => {
    const made = await make(
      "a: {b: {_target_: ./things.js#default}}\nc: [1, {_target_: ./things.js#default}]\nd: {e: 1}\n",
    );
    expect(made).toEqual({ a: { b: "default" }, c: [1, "default"], d: { e: 1 } });
  });

  it("leaves nested objects as they are with _recursive_: false", async () => {
    const made = await make("_target_: ./things.js#build\n_recursive_: false\nm: {_target_: ./nope.js#x}\n");
    expect(made).toEqual({ built: [{ m: { _target_: "./nope.js#x" } }] });
  });

  it("passes frozen parts, or copies that can be changed with _convert_", async () => {
    const read = async (convert: string) => {
      const yaml = `_target_: ./things.js#build\n${convert}a: {b: [1]}\n`;
      const { built } = (await make(yaml)) as { built: [{ a: { b: number[] } }] };
      return [built[0], built[0].a, built[0].a.b].map(Object.isFrozen);
    };
    expect(await read("")).toEqual([true, true, true]);
    expect(await read("_convert_: none\n")).toEqual([true, true, true]);
    for (const mode of ["partial", "object", "all"])
      expect(await read(`_convert_: ${mode}\n`)).toEqual([false, false, false]);
    expect(await read("_convert_: all\n_recursive_: false\n")).toEqual([false, false, false]);
  });

  it("waits for more with _partial_", async () => {
    const partial = (await make("_target_: ./things.js#build\n_partial_: true\na: 1\nb: 2\n")) as (
      ...args: unknown[]
    ) => unknown;
    expect(await partial()).toEqual({ built: [{ a: 1, b: 2 }] });
    expect(await partial({ b: 3, c: 4 })).toEqual({ built: [{ a: 1, b: 3, c: 4 }] });
    expect(await partial(9, { b: 3 })).toEqual({ built: [9, { a: 1, b: 3 }] });
    const withArgs = (await make("_target_: ./things.js#build\n_partial_: true\n_args_: [1]\n")) as typeof partial;
    expect(await withArgs(2)).toEqual({ built: [1, 2] });
  });

  it("takes arguments and keys of the caller", async () => {
    const object = new Date(0);
    expect(await make("_target_: ./things.js#build\na: 1\n", { values: { a: 2, object } })).toEqual({
      built: [{ a: 2, object }],
    });
    expect(await make("_target_: ./things.js#build\n_args_: [1]\n", { args: [2, 3] })).toEqual({ built: [2, 3] });
  });

  it("gives null for null", async () => {
    expect(await instantiate(null)).toBeNull();
    expect(await instantiate(undefined)).toBeNull();
  });

  it("imports by URL, with the importer it was given", async () => {
    const folder = writeFiles({ "package.json": "{}", "src/a.ts": "", "c.yaml": "_target_: ./src/a.ts#Thing\n" });
    const urls: string[] = [];
    const made = await instantiate(await loadConfig(join(folder, "c.yaml")), {
      importModule: async (url) => {
        urls.push(url);
        return { Thing: () => "made" };
      },
    });
    expect([made, urls]).toEqual(["made", [pathToFileURL(join(folder, "src/a.ts")).href]]);
  });

  it("imports by itself without one", async () => {
    const folder = writeFiles({ "package.json": '{"type": "module"}', "a.mjs": "export const f = () => 7;" });
    expect(await instantiate({ _target_: "./a.mjs#f" }, { projectRoot: folder })).toBe(7);
  });

  it("finds the project of a part of a config", async () => {
    const folder = writeFiles({ ...project, "conf/c.yaml": "model: {_target_: ./things.js#default}\n" });
    const config = await loadConfig(join(folder, "conf/c.yaml"));
    expect(await instantiate(config["model"], { importModule })).toBe("default");
  });

  it("asks for the project of anything else", async () => {
    await expect(instantiate({ _target_: "./a.js#x" })).rejects.toThrow("Pass { projectRoot }");
  });

  it("knows a package that names itself", async () => {
    const own = { "package.json": '{"name": "me", "type": "module", "exports": "./things.js"}' };
    expect(await make("_target_: me#default\n", {}, own)).toBe("default");
  });
});

describe("a hostile or wrong target", () => {
  const outside = "it lies outside of the project";
  const neither = "it is neither a file of the project nor a package";
  it.each<[string, string]>([
    ["../c.js#x", outside],
    ["./../things.js#Model", outside],
    ["./a/../../things.js#Model", outside],
    ["./#Model", outside],
    [".#Model", outside],
    ["..#Model", outside],
    ["/etc/passwd#x", outside],
    ["//host/share/x.js#x", outside],
    ["C:\\\\x.js#x", neither],
    ["file:///etc/passwd#x", neither],
    ["data:text/javascript,export default 1#default", neither],
    ["http://evil.example/x.js#x", neither],
    ["https://evil.example/x.js#x", neither],
    ["node:child_process#execSync", neither],
    ["child_process#execSync", "modules of Node.js itself"],
    ["fs/promises#rm", "modules of Node.js itself"],
    ["./things.js%00.js#Model", neither],
    ["./things.js?x#Model", neither],
    [".\\\\things.js#Model", neither],
    ["./.%2e/things.js#Model", neither],
    ["plain/../../things.js#Model", neither],
    ["plain/./lib/main.js#Thing", neither],
    ["@scope#x", neither],
    ["#Model", neither],
    ["./things.js", "it names no export"],
    ["./things.js#", "it names no export"],
    ["./things.js#a b", "it names no export"],
    ["./things.js#Model#x", "it names no export"],
    ["./things.js#constructor", "constructor is not an export"],
    ["./things.js#__proto__", "__proto__ is not an export"],
    ["./things.js#Model.prototype", "prototype is not an export"],
    ["./things.js#Model.constructor", "constructor is not an export"],
    ["./things.js#toString", "has no export toString"],
    ["./things.js#Model.call", "has no export call"],
    ["./things.js#Modle", "Did you mean Model?"],
    ["./things.js#number", "number is 5, not a class or function"],
    ["./things.ts#Model", "Did you mean ./things.js?"],
    ["./conf/c.yaml#x", "it is not a module"],
    ["./node_modules#x", "there is no file"],
    ["./broken.js#x", "cannot be imported"],
    ["things.js#Model", "A file of the project is written ./things.js."],
    ["nowhere#x", "no package nowhere is installed"],
    ["@scope/esm/src/one.js#one", "does not export src/one.js"],
    ["@scope/esm/hidden/x#x", "does not export hidden/x"],
    ["@scope/esm/escape#Model", "does not export escape"],
    ["plain/lib/nope#x", "does not export lib/nope"],
  ])("%s", async (target, message) => {
    const yaml = `a:\n  _target_: "${target}"\n`;
    const error: unknown = await make(yaml, {}, { "broken.js": "export const x = ;" }).catch((e) => e);
    expect(error).toMatchObject({ code: "BAD_TARGET", message: expect.stringContaining(message) });
    expect((error as Error).message).toMatch(/c\.yaml:2:3: /);
  });

  it("cannot leave the project through a link", async () => {
    const secret = writeFiles({ "secret.js": "export const x = () => 1;" });
    const folder = writeFiles({
      ...project,
      "conf/c.yaml": "_target_: ./link.js#x\n",
      "conf/d.yaml": "_target_: ./dir/secret.js#x\n",
    });
    symlinkSync(join(secret, "secret.js"), join(folder, "link.js"));
    symlinkSync(secret, join(folder, "dir"));
    for (const name of ["c", "d"]) {
      const config = await loadConfig(join(folder, `conf/${name}.yaml`));
      await expect(instantiate(config, { importModule })).rejects.toThrow(outside);
    }
  });

  it("can be a link inside the project, a linked project and a linked package", async () => {
    const folder = writeFiles({ ...project, "conf/c.yaml": "_target_: ./link.js#default\n" });
    symlinkSync(join(folder, "things.js"), join(folder, "link.js"));
    const linked = join(temporaryFolder(), "linked");
    symlinkSync(folder, linked);
    expect(await instantiate(await loadConfig(join(linked, "conf/c.yaml")), { importModule })).toBe("default");
    const workspace = writeFiles({
      "package.json": '{"name": "ws", "main": "i.mjs"}',
      "i.mjs": "export const f = () => 'ws';",
    });
    symlinkSync(workspace, join(folder, "node_modules/ws"));
    writeFileSync(join(workspace, "out.mjs"), "");
    expect(await instantiate({ _target_: "ws#f" }, { projectRoot: folder, importModule })).toBe("ws");
  });

  it("cannot leave a package through a link", async () => {
    const folder = writeFiles(project);
    const secret = writeFiles({ "secret.js": "exports.x = () => 1;" });
    symlinkSync(join(secret, "secret.js"), join(folder, "node_modules/plain/lib/out.js"));
    const node = { _target_: "plain/lib/out.js#x" };
    await expect(instantiate(node, { projectRoot: folder, importModule })).rejects.toThrow(outside);
  });

  it("is not a folder that is named like a module", async () => {
    const folder = writeFiles(project);
    mkdirSync(join(folder, "folder.js"));
    const node = { _target_: "./folder.js#x" };
    await expect(instantiate(node, { projectRoot: folder, importModule })).rejects.toThrow("there is no file");
  });

  it.each<[string, string]>([
    ["_target_: 5\n", "_target_ is 5; a text like ./file.ts#Export was expected"],
    ["_target_: null\n", "_target_ is null"],
    ["_target_: {a: 1}\n", "_target_ is an object"],
    ["_target_: ./things.js#build\n_args_: 5\n", "_args_ is 5; a list was expected"],
    ["_target_: ./things.js#build\n_recursive_: 1\n", "_recursive_ is 1; true or false was expected"],
    ["_target_: ./things.js#build\n_partial_: x\n", '_partial_ is "x"; true or false was expected'],
    ["_target_: ./things.js#build\n_convert_: some\n", "one of none, partial, object, all was expected"],
    ["_targt_: ./things.js#build\n", "_targt_ is not known.\n  -> Did you mean _target_?"],
    ["_target_: ./things.js#fails\n", 'The target "./things.js#fails" failed: no luck.'],
  ])("%j", async (yaml, message) => {
    await expect(make(yaml)).rejects.toMatchObject({ code: "BAD_TARGET", message: expect.stringContaining(message) });
  });

  it("does not let a key reach a prototype", async () => {
    const node = JSON.parse('{"_target_": "./things.js#build", "__proto__": {"polluted": 1}}') as object;
    const made = await instantiate<{ built: [object] }>(node, { projectRoot: writeFiles(project), importModule });
    expect(Object.getPrototypeOf(made.built[0])).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("refuses what is no config", async () => {
    await expect(instantiate("./things.js#build")).rejects.toThrow("a section of a config was expected");
  });
});
