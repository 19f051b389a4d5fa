import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFailures, runStatus } from "millrace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Chaos, endProcessesOf, hasProcesses, runUndisturbed } from "../support/chaos.ts";
import { because } from "../support/clusters/why-not.ts";
import { type AdversaryKeys, whyNoAdversary } from "../support/file-systems/adversary.ts";
import { startTwoHosts } from "../support/file-systems/two-hosts.ts";
import { removeFolder } from "../support/remove-folder.ts";

const roundsPerRun = 5;
const rounds = Number(process.env["MILLRACE_CHAOS_ROUNDS"] ?? 20);
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

// Removed at the very end: runs are played side by side.
const base = mkdtempSync(join(tmpdir(), "millrace-test-"));
afterAll(() => removeFolder(base));
const newFolder = () => mkdtempSync(join(base, "run-"));

let expected: Awaited<ReturnType<typeof outcomeOf>>;
beforeAll(async () => {
  const reference = newFolder();
  await runUndisturbed(reference);
  expected = await outcomeOf(reference);
});

describe.runIf(hasProcesses).concurrent("a run whose drivers and workers are killed and stopped at random", () => {
  it.for(seeds)(
    `ends as an undisturbed one, and leaves nothing behind (MILLRACE_CHAOS_SEED=%i MILLRACE_CHAOS_ROUNDS=${roundsPerRun})`,
    // On a machine with much else to do a run under kills takes minutes.
    { timeout: 1_200_000 },
    async (seed, { onTestFinished }) => {
      const dir = newFolder();
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

const noAdversary = whyNoAdversary();
const fileSystems: readonly AdversaryKeys[] = [
  { lost: 0.05, fail: 0.002, fail_with: "EIO,ESTALE,ETIMEDOUT", delay_high_ms: 2 },
  { link: "EXDEV", attr_age: 2, entry_age: 2, list_age: 2, mtime_grain: 1, server_ahead: 90 },
];
const sharedRounds = Math.max(3, Math.floor(rounds / 20));
const sharedSeeds = fileSystems.map((keys, i) => [firstSeed + i, keys] as const);

describe
  .runIf(noAdversary === undefined)
  .concurrent(`the same with drivers on two hosts whose file system misbehaves${because(noAdversary)}`, () => {
    it.for(sharedSeeds)("ends as an undisturbed one (MILLRACE_CHAOS_SEED=%i): %j", async ([seed, keys], context) => {
      const two = await startTwoHosts(keys);
      context.onTestFinished(() => two.end());
      const hosts = two.hosts.map(({ folder, command }) => ({ folder: join(folder, "run"), command }));
      const chaos = new Chaos(two.place, seed, hosts);
      context.onTestFinished(({ task }) => {
        if (task.result?.state === "fail") console.error(chaos.report());
        endProcessesOf(two.place);
      });
      for (let round = 0; round < sharedRounds; round++) await chaos.round();
      await chaos.complete();
      expect(await outcomeOf(join(two.backing, "run"))).toEqual(expected);
    });
  });
