// The guide runs the library on a machine of its own making. What that leaves on its disk is what the library leaves on a
// real one, with the same settings and the same faults.
import { describe, it } from "vitest";
import { type Settings, usualSettings } from "../../web/guide/story/settings.ts";
import { comparableFiles } from "../support/guide/comparable-files.ts";
import { compareWithGuide } from "../support/guide/compare-with-guide.ts";
import { filesAt, recordStory } from "../support/guide/load-simulation.ts";
import { runRealExample } from "../support/guide/real-example.ts";

const local = ["local", "process", "thread"] as const;
// Slurm, Grid Engine, OAR and ssh are there for real: the suites that start one of them compare the guide with it.
const faked = ["pbs", "lsf", "htcondor", "oar", "moab", "kube"] as const;

describe.concurrent.each(local)("the guide with env: %s ends with the folder of a real run", (env) => {
  it("where nothing happens", (test) => compareWithGuide(test, { env, workers: 2 }));

  it("with batches, of which the last is not full", (test) =>
    compareWithGuide(test, { env, batch: 4, items: 13, shards: 3 }));

  it("where a worker is killed in the middle of a shard", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 6, shards: 2, killWorker: "forward" }));

  it("where the driver is killed and the run started again", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 8, shards: 1, killDriver: "forward" }));

  it("where an item fails and is skipped", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 6, badItem: 4, onError: "skip" }));

  it("where an item of a batch fails and is skipped", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 8, shards: 2, batch: 4, badItem: 6, onError: "skip" }));

  it("where an item fails, is corrected, and the run is started again", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 6, shards: 2, badItem: 4 }));
});

// Only the program that lists the devices is a fake.
describe.concurrent("the guide with env: local_gpu ends with the folder of a real run", () => {
  const env = "local_gpu";

  it("where nothing happens", (test) => compareWithGuide(test, { env, workers: 2 }));

  it("where a worker is killed in the middle of a shard", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 6, shards: 2, killWorker: "forward" }));

  it("where the driver is killed and the run started again", (test) =>
    compareWithGuide(test, { env, workers: 1, items: 8, shards: 1, killDriver: "forward" }));
});

describe.concurrent.each(faked)(
  "the guide with env: %s ends with the folder of a run on a fake of that scheduler",
  (env) => {
    it("where nothing happens", (test) => compareWithGuide(test, { env, workers: 1, items: 6, shards: 3 }));
  },
);

describe.concurrent.each(local)("a run with env: %s that an item has stopped", (env) => {
  it("leaves the same checkpoint in the guide as on a real disk", async ({ expect, onTestFinished }) => {
    const settings: Settings = { ...usualSettings, env, workers: 1, items: 6, shards: 2, badItem: 4 };
    const { steps } = await recordStory(settings);
    const { first, folder } = await runRealExample(settings, { onTestFinished });
    const stopped = steps.find(({ title }) => title.startsWith("The run fails"));
    expect(Object.keys(comparableFiles(first, folder))).toContain(".millrace/attempts/1.1.fenced/.checkpoint.0");
    expect(comparableFiles(filesAt(stopped))).toEqual(comparableFiles(first, folder));
  });
});
