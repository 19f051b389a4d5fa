import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject, start } from "../support/cli/project.ts";

const script = (isMain: string) => `
const { defineRun, isMainModule, range } = require("millrace");
exports.squares = defineRun(module, { env: () => ({}), forward: (i) => ({ i, square: i * i }) });
if (${isMain})
  exports.squares
    .run(range(6), { outputDir: "exp", progress: false, parallel: { env: process.argv[2], n_workers: 2 } })
    .then((records) => console.log(records.at(-1)));
`;

describe.concurrent("a CommonJS script", () => {
  it.each([
    ["process", "isMainModule(__filename)"],
    ["thread", "isMainModule(__filename)"],
    ["process", "require.main === module"],
  ])("defines and starts a run: env %s, %s", async (env, isMain) => {
    const project = makeProject();
    writeFileSync(project.path("squares.cjs"), script(isMain));
    const outcome = await start([process.execPath, "squares.cjs", env], project.dir).ended;
    expect(outcome).toEqual({ status: 0, stdout: "{ i: 5, square: 25 }\n", stderr: "" });
  });
});
