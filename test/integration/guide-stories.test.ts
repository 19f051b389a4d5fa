// Every story that the guide can tell, within reason: it ends well, and what it shows at the end is a whole run.
import { describe, expect, it } from "vitest";
import { parallelEnvs } from "../../src/config/parallel-envs.ts";
import type { Done } from "../../src/store/done.ts";
import { driverMoments, type Settings, usualSettings, workerMoments } from "../../web/guide/story/settings.ts";
import type { Phase } from "../../web/guide/story/story.ts";
import { filesAt, tellStory } from "../fixtures/guide/load-simulation.ts";

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

async function tell(changed: Partial<Settings>) {
  const settings = { ...usualSettings, ...changed };
  const story = await tellStory(settings);
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

function expectWhole({ story, files, ids }: Awaited<ReturnType<typeof tell>>): void {
  expect(story.exitCode).toBe(0);
  expect(ids).toEqual(allIds);
  const left = [...files.keys()].filter((name) => /^\.millrace\/(attempts|leases|workers)\/./.test(name));
  expect(left).toEqual([]);
}

describe.each(parallelEnvs)("a story with env: %s", (env) => {
  it("goes through every phase and ends with every item", async () => {
    const told = await tell({ env, workers: 3 });
    expectWhole(told);
    expect(phasesOfARun.filter((phase) => !told.phases.has(phase))).toEqual([]);
    expect(told.dones.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it("survives the death of a worker and of the driver", async () => {
    const told = await tell({ env, killWorker: "forward", killDriver: "merge" });
    expectWhole(told);
    expect([...told.phases]).toEqual(expect.arrayContaining(["kill", "resume", "take over"]));
  });
});

describe.each(["local", "process", "slurm"] as const)("a story with env: %s", (env) => {
  it.each(workerMoments)("ends with every item where a worker is killed at %s", async (killWorker) => {
    const told = await tell({ env, killWorker });
    expectWhole(told);
    expect(told.phases).toContain("kill");
  });

  it.each(driverMoments)("ends with every item where the driver is killed at %s", async (killDriver) => {
    const told = await tell({ env, killDriver });
    expectWhole(told);
    expect(told.phases).toContain("kill");
  });

  it("ends with every item where a worker is stopped and wakes up late", async () => {
    const told = await tell({ env, pause: true });
    expectWhole(told);
    expect(told.phases).toContain("pause");
  });

  it("ends with every item but a damaged one that is skipped", async () => {
    const { ids, dones, story } = await tell({ env, badItem: 4, onError: "skip", batch: 2 });
    expect({ exitCode: story.exitCode, ids }).toEqual({ exitCode: 0, ids: allIds.filter((id) => id !== "utt-004") });
    expect(dones.map(({ counts }) => counts.failed).reduce((a, b) => a + b)).toBe(1);
  });

  it("stops at a damaged item, and ends with every item once it is corrected", async () => {
    const told = await tell({ env, badItem: 4 });
    expectWhole(told);
    expect(told.story.steps.filter(({ title }) => title.startsWith("The run fails")).length).toBe(1);
  });
});

describe("a worker that was stopped", () => {
  it("commits nothing once its shard was taken over", async () => {
    const { story } = await tell({ pause: true });
    const titles = story.steps.map(({ title }) => title);
    const woke = titles.indexOf("Worker 2 wakes up");
    expect(titles.indexOf("Worker 1 takes shard 1 from worker 2")).toBeLessThan(woke);
    expect(titles.filter((title) => /commits shard 1\b/.test(title))).toEqual(["Worker 1 commits shard 1: 3 records"]);
  });
});

describe("a story", () => {
  it("is the same each time it is told", async () => {
    const settings: Settings = { ...usualSettings, killWorker: "write", killDriver: "forward" };
    expect(await tellStory(settings)).toEqual(await tellStory(settings));
  });

  it("shows what is only in memory as lost when its worker is killed", async () => {
    const { story } = await tell({ killWorker: "write", batch: 3 });
    const { title, actors } = story.steps.find(({ phase }) => phase === "kill")!;
    expect(title).toBe("Worker 2 is killed");
    expect(actors.find(({ name }) => name === "worker 2")).toMatchObject({ isAlive: false, inMemory: [], inWork: [] });
  });
});
