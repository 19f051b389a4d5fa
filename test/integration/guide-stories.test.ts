// Stories of the guide, in every setting that matters: each ends well, and shows a complete run at its end.
import { describe, expect, it } from "vitest";
import { parallelEnvs } from "../../src/config/parallel-envs.ts";
import type { Done } from "../../src/run-folder/shard/done.ts";
import { driverMoments, type Settings, usualSettings, workerMoments } from "../../web/guide/story/settings.ts";
import type { Phase } from "../../web/guide/story/story.ts";
import { filesAt, recordStory } from "../support/guide/load-simulation.ts";

const phasesOfARun: Phase[] = [
  "start",
  "plan",
  "build env",
  "claim",
  "forward",
  "write",
  "checkpoint",
  "commit",
  "merge",
  "end",
];

async function simulate(changed: Partial<Settings>) {
  const settings = { ...usualSettings, ...changed };
  const story = await recordStory(settings);
  const files = filesAt(story.steps.at(-1));
  const dones = [...files].flatMap(([name, text]) => (name.endsWith("/done") ? [JSON.parse(text) as Done] : []));
  const ids = [...files]
    .filter(([name]) => name.endsWith("records.jsonl"))
    .sort(([a], [b]) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))
    .flatMap(([, text]) => text.trim().split("\n"))
    .map((line) => (JSON.parse(line) as { utt_id: string }).utt_id);
  return { story, files, dones, ids, phases: new Set(story.steps.map(({ phase }) => phase)) };
}

const allIds = Array.from({ length: usualSettings.items }, (_, i) => `utt-${String(i).padStart(3, "0")}`);

function expectWhole({ story, files, ids }: Awaited<ReturnType<typeof simulate>>): void {
  expect(story.exitCode).toBe(0);
  expect(ids).toEqual(allIds);
  const left = [...files.keys()].filter((name) => /^\.millrace\/(attempts|leases|workers)\/./.test(name));
  expect(left).toEqual([]);
}

describe.each(parallelEnvs)("a story with env: %s", (env) => {
  it("goes through every phase and ends with every item", async () => {
    const shown = await simulate({ env, workers: 3 });
    expectWhole(shown);
    expect(phasesOfARun.filter((phase) => !shown.phases.has(phase))).toEqual([]);
    expect(shown.dones.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it("survives the death of a worker and of the driver", async () => {
    const shown = await simulate({ env, killWorker: "forward", killDriver: "merge" });
    expectWhole(shown);
    expect([...shown.phases]).toEqual(expect.arrayContaining(["kill", "resume", "take over"]));
  });
});

describe.each(["local", "process", "slurm"] as const)("a story with env: %s", (env) => {
  it.each(workerMoments)("ends with every item where a worker is killed at %s", async (killWorker) => {
    const shown = await simulate({ env, killWorker });
    expectWhole(shown);
    expect(shown.phases).toContain("kill");
  });

  it.each(driverMoments)("ends with every item where the driver is killed at %s", async (killDriver) => {
    const shown = await simulate({ env, killDriver });
    expectWhole(shown);
    expect(shown.phases).toContain("kill");
  });

  it("ends with every item where a worker is stopped and wakes up late", async () => {
    const shown = await simulate({ env, pause: true });
    expectWhole(shown);
    expect(shown.phases).toContain("pause");
  });

  it("ends with every item but a damaged one that is skipped", async () => {
    const { ids, dones, story } = await simulate({ env, badItem: 4, onError: "skip", batch: 2 });
    expect({ exitCode: story.exitCode, ids }).toEqual({ exitCode: 0, ids: allIds.filter((id) => id !== "utt-004") });
    expect(dones.map(({ counts }) => counts.failed).reduce((a, b) => a + b)).toBe(1);
  });

  it("stops at a damaged item, and ends with every item once it is corrected", async () => {
    const shown = await simulate({ env, badItem: 4 });
    expectWhole(shown);
    expect(shown.story.steps.filter(({ title }) => title.startsWith("The run fails")).length).toBe(1);
  });
});

describe("a worker that was stopped", () => {
  it("commits nothing once its shard was taken over", async () => {
    const { story } = await simulate({ pause: true });
    const titles = story.steps.map(({ title }) => title);
    const woke = titles.indexOf("Worker 2 wakes up");
    expect(titles.indexOf("Worker 1 takes shard 1 from worker 2")).toBeLessThan(woke);
    expect(titles.filter((title) => /commits shard 1\b/.test(title))).toEqual(["Worker 1 commits shard 1: 3 records"]);
  });
});

describe("a story", () => {
  it("is the same each time it is shown", async () => {
    const settings: Settings = { ...usualSettings, killWorker: "write", killDriver: "forward" };
    expect(await recordStory(settings)).toEqual(await recordStory(settings));
  });

  it("shows what is only in memory as lost when its worker is killed", async () => {
    const { story } = await simulate({ killWorker: "write", batch: 3 });
    const { title, actors } = story.steps.find(({ phase }) => phase === "kill")!;
    expect(title).toBe("Worker 2 is killed");
    expect(actors.find(({ name }) => name === "worker 2")).toMatchObject({ isAlive: false, inMemory: [], inWork: [] });
  });
});
