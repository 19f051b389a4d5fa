// Where the outputs of a run are, as its hooks see it.
import { BaseRunner, defineRun, EnvironmentProvider, type ParallelInput, type RunPlace, range } from "millrace";
import { describe, expect, it } from "vitest";
import { places } from "../fixtures/runners/places.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const envs: readonly ParallelInput[] = [
  { env: "local" },
  { env: "process", n_workers: 2 },
  { env: "thread", n_workers: 2 },
];

describe.each(envs)("in env $env", (parallel) => {
  it("forward finds outputDir and shardSubdir in the env", async () => {
    const outputDir = temporaryFolder();
    const records = await places.run(range(2), { outputDir, shardSubdir: "dev/a", parallel, progress: false });
    expect([...records]).toEqual([0, 1].map(() => ({ outputDir, shardSubdir: "dev/a", keys: ["greeting"] })));
  });
});

describe("the env", () => {
  it("has no outputDir where the run has none", async () => {
    expect([...(await places.run(range(1), { progress: false }))]).toEqual([{ keys: ["greeting"] }]);
  });

  it("keeps an outputDir that the provider gives, and is left as it was after the run", async () => {
    const env = { outputDir: "exp/data" };
    const seen: RunPlace[] = [];
    class Provider extends EnvironmentProvider<RunPlace> {
      buildEnvLocal(): RunPlace {
        return env;
      }
    }
    class Runner extends BaseRunner<RunPlace, number> {
      static forward(idx: number, { outputDir, shardSubdir }: RunPlace): number {
        seen.push({ outputDir: outputDir!, shardSubdir: shardSubdir! });
        return idx;
      }
    }
    await new Runner(new Provider({}), { outputDir: temporaryFolder(), progress: false }).run(range(1));
    expect(seen).toEqual([{ outputDir: "exp/data", shardSubdir: "" }]);
    expect(Object.getOwnPropertyNames(env)).toEqual(["outputDir"]);
  });

  it("may be frozen", async () => {
    const frozen = defineRun(import.meta, {
      env: () => Object.freeze({ by: 2 }),
      forward: (idx, { by, outputDir }) => ({ value: idx * by, isThere: outputDir !== undefined }),
    });
    const records = await frozen.run(range(2), { outputDir: temporaryFolder(), progress: false });
    expect([...records]).toEqual([
      { value: 0, isThere: false },
      { value: 2, isThere: false },
    ]);
  });
});
