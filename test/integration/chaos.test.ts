import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFailures, runStatus } from "millrace";
import { describe, expect, it, onTestFinished } from "vitest";
import { Chaos, endProcessesOf, hasProcesses, runUndisturbed } from "../support/chaos.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const roundsPerRun = 5;
const rounds = Number(process.env["MILLRACE_CHAOS_ROUNDS"] ?? 30);
const firstSeed = Number(process.env["MILLRACE_CHAOS_SEED"] ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: Math.ceil(rounds / roundsPerRun) }, (_, i) => firstSeed + i);

/** What a reader of a finished run sees. Where the shards begin and end, and which attempt made them, does not matter. */
async function outcomeOf(dir: string) {
  const { state, items, shards } = await runStatus(dir);
  const parts = Array.from({ length: shards.total }, (_, id) => join(dir, `split.${id}`, "records.jsonl"));
  return {
    state,
    items,
    records: parts.map((path) => readFileSync(path, "utf8")).join(""),
    merged: readFileSync(join(dir, "records.jsonl"), "utf8"),
    failures: [...readFailures(dir)].map(({ item, error, tries }) => ({ item, error, tries })),
    isWhole: shards.committed === shards.total,
    left: ["leases", "attempts", "workers"].flatMap((folder) => readdirSync(join(dir, ".millrace", folder))),
  };
}

let expected: Awaited<ReturnType<typeof outcomeOf>> | undefined;

describe.runIf(hasProcesses)("a run whose drivers and workers are killed and stopped at random", () => {
  it.each(seeds)(
    `ends as an undisturbed one, and leaves nothing behind (MILLRACE_CHAOS_SEED=%i MILLRACE_CHAOS_ROUNDS=${roundsPerRun})`,
    { timeout: 300_000 },
    async (seed) => {
      if (expected === undefined) {
        const reference = temporaryFolder();
        await runUndisturbed(reference);
        expected = await outcomeOf(reference);
      }
      const dir = temporaryFolder();
      const chaos = new Chaos(dir, seed);
      onTestFinished(({ task }) => {
        if (task.result?.state === "fail") console.error(chaos.report());
        endProcessesOf(dir);
      });
      for (let round = 0; round < roundsPerRun; round++) await chaos.round();
      await chaos.complete();
      expect(await outcomeOf(dir)).toEqual(expected);
    },
  );
});
