import { describe, expect, it } from "vitest";
import { type CodeProject, codeProject } from "../fixtures/code-project.ts";

const main = `import { BaseRunner, EnvironmentProvider, isMainModule, range } from "millrace";
import { scale } from "./lib/scale.js";

export class PrepProvider extends EnvironmentProvider {
  static module = import.meta.url;
  buildEnvLocal() {
    return { factor: scale };
  }
}

export class PrepRunner extends BaseRunner {
  static module = import.meta.url;
  static forward(idx, { factor }) {
    if (idx === 50) throw new Error("item 50 is odd");
    return { id: idx, size: idx * factor };
  }
}

if (isMainModule(import.meta.url)) {
  const parallel = { env: process.argv[2] ?? "local", n_workers: 2 };
  const options = { outputDir: "exp", mergeFiles: true, progress: false, ...JSON.parse(process.argv[3] ?? "{}") };
  const records = await new PrepRunner(new PrepProvider(), { ...options, parallel }).run(range(100));
  console.log(records.length, "records");
}
`;
const files = { "main.mjs": main, "lib/scale.js": "export const scale = 3;\n" };
const options = (given: object) => JSON.stringify(given);

/** A run of a hundred items that has ended at item 50. */
async function stoppedAt50(): Promise<CodeProject> {
  const project = codeProject(files);
  const { status, stderr } = await project.node("main.mjs");
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("item 50 is odd") });
  return project;
}

/** A run of a hundred items that is complete. */
async function complete(env = "local"): Promise<CodeProject> {
  const project = codeProject({ ...files, "main.mjs": main.replace("idx === 50", "idx === -1") });
  expect(await project.node("main.mjs", env)).toMatchObject({ status: 0, stderr: "" });
  return project;
}

const fix = (project: CodeProject) => {
  project.edit("main.mjs", 'if (idx === 50) throw new Error("item 50 is odd");', "");
  project.edit("main.mjs", "{ id: idx,", "{ utt_id: idx,");
};

describe.concurrent("a run whose code was edited", () => {
  it("is refused by the name of the file and the number of items that the old code has made", async () => {
    const project = await stoppedAt50();
    fix(project);
    const { status, stderr } = await project.node("main.mjs");
    expect(status).toBe(1);
    expect(stderr).toMatch(/RUN_CHANGED/);
    expect(stderr).toMatch(/50 of its 100 items were made by other code:\n {2}main\.mjs: changed\n/);
    expect(stderr).toMatch(/resume: false .*acceptChange: true/);
  });

  it("is refused when it is finished, too, instead of returning the old records as if they were new", async () => {
    const project = await complete();
    project.edit("main.mjs", "{ id: idx,", "{ utt_id: idx,");
    const { status, stdout, stderr } = await project.node("main.mjs");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/100 of its 100 items were made by other code:\n {2}main\.mjs: changed\n/);
  });
});
