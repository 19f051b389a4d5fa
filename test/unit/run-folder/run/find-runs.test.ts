import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRuns, type InsideRuns } from "../../../../src/run-folder/run/find-runs.ts";
import { countFileCalls } from "../../../support/count-file-calls.ts";
import { commitByHand, makeRun } from "../../../support/made-run.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("findRuns", () => {
  it("finds runs in order, also within each other, and looks into no shard", () => {
    const root = temporaryFolder();
    const outer = makeRun(join(root, "b"), 2);
    commitByHand(outer, 0);
    makeRun(join(root, "b", "split.0", "hidden"), 1);
    for (const name of ["a", "b/inner", "c/d/e"]) makeRun(join(root, name), 1);
    mkdirSync(join(root, "node_modules", "x"), { recursive: true });
    makeRun(join(root, "node_modules", "x"), 1);
    expect([...findRuns(root)]).toEqual(["a", "b", "b/inner", "c/d/e"].map((name) => join(root, name)));
  });

  it("lists a run once for all who search with the same memory, and sees what comes and goes around it", async () => {
    const root = temporaryFolder();
    for (const name of ["a", "a/inner"]) makeRun(join(root, name), 1);
    const inside: InsideRuns = new Map();
    const search = () => [...findRuns(root, { inside })].map((dir) => dir.slice(root.length + 1));
    expect(search()).toEqual(["a", "a/inner"]);
    makeRun(join(root, "b"), 1);
    expect(search()).toEqual(["a", "a/inner", "b"]);
    rmSync(join(root, "a", "inner"), { recursive: true });
    const { readdirSync: listings } = await countFileCalls(async () => {
      expect(search()[0]).toBe("a");
    });
    expect(listings).toBeLessThanOrEqual(2);
  });
});
