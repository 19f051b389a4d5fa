// The guide runs the library on a machine of its own making. What that leaves on its disk is what the library leaves on a
// real one, with the same settings and the same faults.
import { describe, it, type TestContext } from "vitest";
import { type Settings, usualSettings } from "../../web/guide/story/settings.ts";
import { comparableFiles } from "../fixtures/guide/comparable-files.ts";
import { filesAt, tellStory } from "../fixtures/guide/load-simulation.ts";
import { runRealExample } from "../fixtures/guide/real-example.ts";

const local = ["local", "process", "thread"] as const;
const faked = ["pbs", "htcondor", "kube"] as const;

type Test = Pick<TestContext, "expect" | "onTestFinished">;

async function compare({ expect, onTestFinished }: Test, changed: Partial<Settings>): Promise<void> {
  const settings = { ...usualSettings, ...changed };
  const story = await tellStory(settings);
  const real = await runRealExample(settings, onTestFinished);
  expect(story.exitCode).toBe(0);
  const starts = story.steps.filter(({ title }) => title.startsWith("You start the script"));
  expect(starts.length).toBe(real.starts);
  expect(comparableFiles(filesAt(story.steps.at(-1)))).toEqual(comparableFiles(real.last, real.folder));
}

describe.concurrent.each(local)("the guide with env: %s ends with the folder of a real run", (env) => {
  it("where nothing happens", (test) => compare(test, { env, workers: 2 }));

  it("with batches, of which the last is not full", (test) => compare(test, { env, batch: 4, items: 13, shards: 3 }));

  it("where a worker is killed in the middle of a shard", (test) =>
    compare(test, { env, workers: 1, items: 6, shards: 2, killWorker: "forward" }));

  it("where the driver is killed and the run started again", (test) =>
    compare(test, { env, workers: 1, items: 8, shards: 1, killDriver: "forward" }));

  it("where an item fails and is skipped", (test) =>
    compare(test, { env, workers: 1, items: 6, badItem: 4, onError: "skip" }));

  it("where an item of a batch fails and is skipped", (test) =>
    compare(test, { env, workers: 1, items: 8, shards: 2, batch: 4, badItem: 6, onError: "skip" }));

  it("where an item fails, is corrected, and the run is started again", (test) =>
    compare(test, { env, workers: 1, items: 6, shards: 2, badItem: 4 }));
});

describe.concurrent.each(faked)(
  "the guide with env: %s ends with the folder of a run on a fake of that scheduler",
  (env) => {
    it("where nothing happens", (test) => compare(test, { env, workers: 1, items: 6, shards: 3 }));
  },
);

describe.concurrent.each(local)("a run with env: %s that an item has stopped", (env) => {
  it("leaves the same checkpoint in the guide as on a real disk", async ({ expect, onTestFinished }) => {
    const settings: Settings = { ...usualSettings, env, workers: 1, items: 6, shards: 2, badItem: 4 };
    const { steps } = await tellStory(settings);
    const { first, folder } = await runRealExample(settings, onTestFinished);
    const stopped = steps.find(({ title }) => title.startsWith("The run fails"));
    expect(Object.keys(comparableFiles(first, folder))).toContain(".millrace/attempts/1.1.fenced/.checkpoint.0");
    expect(comparableFiles(filesAt(stopped))).toEqual(comparableFiles(first, folder));
  });
});
