import { describe, expect, it } from "vitest";
import { inheritedArguments } from "../../../src/runtime/inherited-arguments.ts";

describe("the arguments of Node.js that workers inherit", () => {
  it.each<[string, string[]]>([
    ["a loader of TypeScript", ["--import", "tsx"]],
    ["a loader given with =", ["--import=file:///tools/loader.mjs"]],
    ["modules to be loaded first", ["--require", "./setup.cjs", "-r", "./more.cjs"]],
    ["conditions", ["--conditions=development", "-C", "test"]],
    ["memory and flags", ["--max-old-space-size=512", "--expose-gc", "--enable-source-maps", "--no-warnings"]],
    ["nothing", []],
  ])("are those that say how code is loaded and run: %s", (_name, args) => {
    expect(inheritedArguments(args)).toEqual(args);
  });

  it.each<[string, string[]]>([
    ["a program on the command line", ["-e", "await main()"]],
    ["one that is printed", ["-p", "1 + 1"]],
    ["both in one", ["-pe", "1 + 1"]],
    ["both one after the other", ["-p", "-e", "1 + 1"]],
    ["the long forms", ["--eval", "1", "--print=2", "--interactive"]],
    ["its module system", ["--input-type=module", "--eval", "1"]],
    ["its module system as an argument of its own", ["--input-type", "module", "-e", "1"]],
    ["a debugger", ["--inspect", "--inspect-brk=127.0.0.1:9229", "--inspect-port=0"]],
    ["a debugger's port as an argument of its own", ["--inspect-port", "0"]],
    ["a watcher", ["--watch", "--watch-path=src", "--watch-preserve-output"]],
    ["a watched folder as an argument of its own", ["--watch-path", "src"]],
    ["a profile", ["--cpu-prof", "--cpu-prof-dir=profiles", "--heap-prof"]],
    ["a folder of profiles as an argument of its own", ["--cpu-prof", "--cpu-prof-dir", "profiles"]],
    ["a test run", ["--test", "--test-reporter=spec", "--test-name-pattern", "resume"]],
  ])("are not those that belong to this very process: %s", (_name, own) => {
    expect(inheritedArguments(own)).toEqual([]);
    expect(inheritedArguments(["--import", "tsx", ...own])).toEqual(["--import", "tsx"]);
    expect(inheritedArguments([...own, "--import", "tsx"])).toEqual(["--import", "tsx"]);
  });
});
