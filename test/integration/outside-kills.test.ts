import { describe, expect, it } from "vitest";
import { hasProcesses } from "../support/chaos.ts";
import { type KillScene, killFromOutside } from "../support/outside-kills.ts";
import { seededRandom } from "../support/seeded-random.ts";

const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);
// The long form: MILLRACE_OUTSIDE_KILLS=3000, or npm run soak.
const killsInAll = Number(process.env["MILLRACE_OUTSIDE_KILLS"] ?? 100);

const process4 = { env: "process", workers: 4 } as const;
const scenes: Record<string, KillScene> = {
  "items of 0.1 ms": { ...process4, itemMs: 0.1, buildMs: 0, items: 20_000, gapMs: 150 },
  "items of 0.1 ms in batches": { ...process4, itemMs: 0.1, buildMs: 0, items: 20_000, batchSize: 50, gapMs: 150 },
  "items of 20 ms": { ...process4, itemMs: 20, buildMs: 0, items: 600, gapMs: 150 },
  "items of 20 ms and an env of a second": { ...process4, itemMs: 20, buildMs: 1000, items: 600, gapMs: 500 },
  "items of 200 ms": { ...process4, itemMs: 200, buildMs: 0, items: 120, gapMs: 150 },
  "items of 200 ms in batches": { ...process4, itemMs: 200, buildMs: 0, items: 120, batchSize: 4, gapMs: 400 },
  "items of 2 s": { ...process4, itemMs: 2000, buildMs: 0, items: 12, gapMs: 600 },
};
const kills = Math.ceil(killsInAll / Object.keys(scenes).length);

describe.runIf(hasProcesses)("a run whose processes are killed from outside at random moments", () => {
  it.each(Object.entries(scenes))(
    `puts no item aside and loses no record: %s (MILLRACE_SEED=${seed})`,
    { timeout: 300_000 + 10_000 * kills },
    async (name, scene) => {
      const outcome = await killFromOutside(scene, kills, seededRandom(seed));
      if (killsInAll >= 1000) console.log(`${name}: ${outcome.kills} kills in ${outcome.runs} runs`);
      expect(outcome).toMatchObject({ putAside: [], complaints: [], records: outcome.expected });
      expect(outcome.kills).toBeGreaterThanOrEqual(kills);
    },
  );
});
