import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const child = fileURLToPath(new URL("../fixtures/children/prints-flushes.mjs", import.meta.url));

function flushedBy(outputDir: string, order: "run" | "retry"): string[] {
  return JSON.parse(execFileSync(process.execPath, [child, outputDir, order], { encoding: "utf8" })) as string[];
}

it("has everything on the disk before the process ends, of quick shards and of those that a retry replaces", () => {
  const outputDir = temporaryFolder();
  const files = (shard: number, ...names: string[]) => names.map((name) => `split.${shard}/${name}`);
  expect(flushedBy(outputDir, "run")).toEqual([
    "",
    "manifest.json",
    ...files(0, "done", "records.jsonl"),
    ...files(1, "done", "failures.jsonl", "records.jsonl"),
  ]);
  expect(flushedBy(outputDir, "retry")).toEqual(["", ...files(1, "done", "records.jsonl")]);
});
