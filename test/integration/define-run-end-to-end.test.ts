// Runs that are one literal: found again by workers, continued, retried, iterated and stopped.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineRun, type ParallelInput, range, runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { batches, lengths, runHidden, whole } from "../fixtures/runners/definitions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "dist", "cli", "millrace.js");
const envs: readonly ParallelInput[] = [
  { env: "local" },
  { env: "process", n_workers: 2 },
  { env: "thread", n_workers: 2 },
];
const words = Array.from({ length: 20 }, (_, i) => "x".repeat(i));

describe.each(envs)("in env $env", (parallel) => {
  const options = () => ({ outputDir: temporaryFolder(), progress: false, parallel });

  it("a definition gives its records", async () => {
    const records = await lengths.run(range(22), { ...options(), config: { words } });
    expect([...records]).toEqual(words.map((_, idx) => ({ idx, length: idx })));
  });

  it("the second definition of a module is not taken for the first", async () => {
    const records = await batches.run(range(8), { ...options(), shards: 2 });
    expect(records.map(({ value }) => value)).toEqual([100, 101, 102, 104, 105, 106, 107]);
    expect(new Set(records.map(({ batch }) => batch))).toEqual(new Set([4]));
  });

  it("all functions of a definition work together", async () => {
    const folder = temporaryFolder();
    process.env["DEFINITIONS_LOG"] = join(folder, "log");
    try {
      const { outputDir, ...rest } = options();
      const total = await whole.run(range(10), { outputDir, ...rest, shards: 2, factor: 3, params: { by: 2 } });
      expect(total).toEqual({ sum: 45 * 6, halves: [30, 105], lines: 10 });
      expect(readFileSync(join(outputDir, "split.0", "text"), "utf8").split("\n")[1]).toBe("value 6");
      expect(readFileSync(join(folder, "log"), "utf8")).toMatch(/^(left 2\n)+$/);
    } finally {
      delete process.env["DEFINITIONS_LOG"];
    }
  });
});

describe("a definition", () => {
  it("that is not exported is refused where workers have to find it", async () => {
    await expect(runHidden(temporaryFolder())).rejects.toThrow(/does not export the definition/);
  });

  it("is continued, and retried from the command line", async () => {
    const outputDir = temporaryFolder();
    const options = {
      outputDir,
      progress: false,
      onError: "skip" as const,
      config: { words: [...words, null as never] },
    };
    await lengths.run(range(21), options);
    expect((await runStatus(outputDir)).items).toMatchObject({ total: 21, written: 20 });
    const again = await lengths.resume(options);
    expect(again.length).toBe(20);
    const { status, stderr } = spawnSync(process.execPath, [cli, "merge", outputDir, "--files"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(readFileSync(join(outputDir, "records.jsonl"), "utf8").split("\n")).toHaveLength(21);
  });

  it("runs at the top level of the very module that defines it", () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "main.mjs"),
      `import { defineRun, isMainModule, range } from ${JSON.stringify(join(root, "dist", "index.js"))};
export const doubles = defineRun(import.meta, { env: () => ({ by: 2 }), forward: (idx, { by }) => idx * by });
if (isMainModule(import.meta)) {
  const records = await doubles.run(range(5), { outputDir: "exp", progress: false, parallel: { env: "process", n_workers: 2 } });
  console.log(records.join(" "));
}
`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ["main.mjs"], { cwd: folder, encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["0 2 4 6 8\n", ""]);
    const spec = JSON.parse(readFileSync(join(folder, "exp", ".millrace", "spec.json"), "utf8")) as object;
    expect(spec).toMatchObject({ runner: { name: "main", definition: 0 }, provider: { name: "main", definition: 0 } });
  });
});

describe("a run that was started", () => {
  const slow = defineRun(import.meta, {
    env: () => ({ gate: new Promise((resolve) => setTimeout(resolve, 400)) }),
    forward: async (idx, { gate }) => {
      if (idx === 3) throw new Error("cannot do 3");
      if (idx > 3) await gate;
      return idx;
    },
  });

  it.each([true, false])("is iterated as its shards are committed (kept: %s)", async (isKept) => {
    const outputDir = isKept ? temporaryFolder() : undefined;
    const running = lengths.start(range(20), { config: { words }, progress: false, shards: 5, outputDir });
    const found: number[] = [];
    for await (const { idx } of running) found.push(idx);
    expect(found.sort((a, b) => a - b)).toEqual(words.map((_, idx) => idx));
    expect((await running.result).length).toBe(20);
  });

  it("hands the first records over before the last item is done", async () => {
    const running = slow.start([0, 1, 2, 4, 5], { progress: false, shards: 5 });
    let isOver = false;
    void running.result.then(() => (isOver = true));
    const first = await running[Symbol.asyncIterator]().next();
    expect([first.value, isOver]).toEqual([0, false]);
    await running.result;
  });

  it("throws what ended it, after the records that were made", async () => {
    const running = slow.start(range(4), { progress: false, shards: 4, outputDir: temporaryFolder() });
    const found: number[] = [];
    const all = async () => {
      for await (const record of running) found.push(record);
    };
    await expect(all()).rejects.toThrow("cannot do 3");
    await expect(running.result).rejects.toThrow("cannot do 3");
    expect(found.every((record) => record < 3)).toBe(true);
  });

  it("is stopped at the end of a block, and keeps what is done", async () => {
    const outputDir = temporaryFolder();
    {
      await using running = slow.start([0, 1, 2, 4, 5, 6], { progress: false, shards: 6, outputDir });
      await running[Symbol.asyncIterator]().next();
      running.result.catch(() => {});
    }
    expect(existsSync(join(outputDir, "split.0"))).toBe(true);
    expect((await runStatus(outputDir)).state).not.toBe("running");
    expect([...(await slow.run([0, 1, 2, 4, 5, 6], { progress: false, outputDir }))]).toEqual([0, 1, 2, 4, 5, 6]);
  });
});
