import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { isMainModule, markWorker, refuseInWorker } from "../../../src/runtime/in-worker.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("isMainModule", () => {
  /** A folder with some scripts, as Node.js names it. */
  function scripts(...names: string[]): string {
    const folder = realpathSync(temporaryFolder());
    for (const name of names) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), "process.stdout.write(process.argv[1]);");
    }
    return folder;
  }

  /** Makes this process look as if it had been started with `node ...args` in that folder. */
  function startedWith(folder: string, ...args: string[]): void {
    const script = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout;
    const { argv } = process;
    process.argv = [process.execPath, ...(script === "undefined" ? [] : [script])];
    onTestFinished(() => {
      process.argv = argv;
    });
  }

  const urlOf = (...path: string[]) => pathToFileURL(join(...path)).href;

  it.each([
    ["its name", "main.js"],
    ["a relative path", "./main.js"],
    ["no extension", "main"],
  ])("knows the script that was started by %s", (_name, script) => {
    const folder = scripts("main.js", "other.js");
    startedWith(folder, script);
    expect(isMainModule(urlOf(folder, "main.js"))).toBe(true);
    expect(isMainModule(urlOf(folder, "other.js"))).toBe(false);
  });

  it.each([
    ["the folder it is in", "."],
    ["the name of its folder", "../app"],
  ])("knows the script that was started by %s", (_name, script) => {
    const folder = join(scripts("app/index.js", "app/other.js"), "app");
    startedWith(folder, script);
    expect(isMainModule(urlOf(folder, "index.js"))).toBe(true);
    expect(isMainModule(urlOf(folder, "other.js"))).toBe(false);
  });

  it("knows a script with blanks and umlauts in its name", () => {
    const folder = scripts("my übung/main #1.js");
    startedWith(folder, "my übung/main #1.js");
    expect(isMainModule(urlOf(folder, "my übung", "main #1.js"))).toBe(true);
  });

  it.each([
    ["what a link points to", [], "main.js"],
    ["a link that Node.js keeps by an option", ["--preserve-symlinks-main"], "link.js"],
  ])("knows %s", (_name, flags, loaded) => {
    const folder = scripts("main.js");
    symlinkSync("main.js", join(folder, "link.js"));
    startedWith(folder, ...flags, "link.js");
    expect(isMainModule(urlOf(folder, loaded))).toBe(true);
  });

  it("says no to a module of the same name elsewhere, and to one that only begins alike", () => {
    const folder = scripts("main.js", "sub/main.js", "main.test.js");
    startedWith(folder, "main.js");
    expect(isMainModule(urlOf(folder, "sub", "main.js"))).toBe(false);
    expect(isMainModule(urlOf(folder, "main.test.js"))).toBe(false);
  });

  it("says no where there is no script", () => {
    startedWith(temporaryFolder(), "-e", "process.stdout.write(String(process.argv[1]))");
    expect(isMainModule(import.meta.url)).toBe(false);
    expect(isMainModule("data:text/javascript,1")).toBe(false);
  });
});

describe("refuseInWorker", () => {
  it("lets a run begin, but not in a worker", () => {
    refuseInWorker("MyRunner");
    markWorker();
    onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for("millrace.worker")));
    expect(() => refuseInWorker("MyRunner")).toThrow(/A run of MyRunner was started in a worker[\s\S]*isMainModule/);
  });
});
