// A run that was begun and killed by the version before folders and names were changed is continued and merged by this one.
import { chmodSync, cpSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { range, readFailures, readShardState, runStatus } from "millrace";
import { expect, it } from "vitest";
import { openEarlier } from "../fixtures/earlier-run/job.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const earlier = fileURLToPath(new URL("../fixtures/earlier-run/", import.meta.url));
const expected = (name: string) => readFileSync(join(earlier, `expected-${name}`), "utf8");

/** The folder as its worker, on another host, has left it two hours ago: longer than its lease lives. */
function copyRun(): string {
  const dir = temporaryFolder();
  cpSync(join(earlier, "run"), dir, { recursive: true });
  chmodSync(join(dir, ".millrace", "spec.json"), 0o600);
  const then = Date.now() / 1000 - 7200;
  for (const folder of ["leases", "workers"].map((name) => join(dir, ".millrace", name)))
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), then, then);
  return dir;
}

it("is shown as it is", async () => {
  const { state, items, shards } = await runStatus(copyRun());
  expect({ state, items, shards }).toMatchObject({
    state: "stopped",
    items: { total: 40 },
    shards: { total: 4, committed: 2 },
  });
});

it("is continued from its checkpoint, and ends with the bytes of a run that was never killed", async () => {
  const dir = copyRun();
  const before = readFileSync(join(dir, "split.0", "done"), "utf8");
  await openEarlier(dir).run(range(40));
  expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe(expected("records.jsonl"));
  expect(readFileSync(join(dir, "text"), "utf8")).toBe(expected("text"));
  expect(readFileSync(join(dir, "split.0", "done"), "utf8")).toBe(before);
  expect([...readFailures(dir)].map(({ item }) => item)).toEqual([6, 13, 20, 27, 34]);
  const { sum, seen } = readShardState<{ sum: number; seen: Set<number> }>(join(dir, "split.2"));
  expect([sum, [...seen]]).toEqual([3 * (21 + 22 + 23 + 25 + 26 + 28), [21, 22, 23, 25, 26, 28]]);
});
