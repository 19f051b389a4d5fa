import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseRunner, EnvironmentProvider, range, readShardState } from "millrace";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { LargeStateProvider, LargeStateRunner } from "../fixtures/runners/large-state.ts";
import { SlowCheckpointsProvider, SlowCheckpointsRunner } from "../fixtures/runners/slow-checkpoints.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let stderr = "";

beforeEach(() => {
  stderr = "";
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    stderr += chunk.toString();
    return true;
  });
});

const timesSaid = (text: string) => stderr.split(text).length - 1;

describe("a shard with a large state", () => {
  it("has checkpoints while it runs, and continues from the newest after a kill", { timeout: 300_000 }, async () => {
    const [outputDir, notes] = [temporaryFolder(), temporaryFolder()];
    const items = 1500;
    const config = { notes, entries: 60_000, killAtCheckpoint: 6, itemMs: 30 };
    const runner = new LargeStateRunner(new LargeStateProvider(config), {
      outputDir,
      shards: 1,
      progress: false,
      parallel: { env: "process", n_workers: 1 },
    });
    expect([...(await runner.run(range(items)))]).toEqual(Array.from({ length: items }, (_, idx) => ({ idx })));
    // Without a sixth checkpoint the worker would not have been killed.
    expect(existsSync(join(notes, "killed"))).toBe(true);
    const [before, after] = readFileSync(join(notes, "calls"), "utf8").trim().split("\nkill\n");
    const position = Number(readFileSync(join(notes, "killed"), "utf8"));
    expect(position).toBeGreaterThan(0);
    expect(before!.split("\n").map(Number)).toEqual([...range(before!.split("\n").length)]);
    expect(after!.split("\n").map(Number)).toEqual([...range(position, items)]);
    const { seen } = readShardState<{ seen: Record<string, unknown> }>(join(outputDir, "split.0"));
    expect(Object.keys(seen)).toHaveLength(60_000 + items);
    expect(readdirSync(join(outputDir, "split.0")).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("checkpoints that take longer than a kill should cost", () => {
  it("are reported once, however many workers have them", { timeout: 300_000 }, async () => {
    const outputDir = temporaryFolder();
    const parallel = { env: "process", n_workers: 2 } as const;
    const options = { outputDir, shards: 2, progress: false, parallel } as const;
    await new SlowCheckpointsRunner(new SlowCheckpointsProvider({}), options).run(range(200));
    const said = stderr.split("\n").filter((line) => line.includes("a checkpoint of split."));
    expect(said).toEqual([
      expect.stringMatching(
        /takes \d+\.\d s, because .* MB.* every \d+\.\d s, and a kill repeats .* instead of 5\.0 s/,
      ),
    ]);
    const logs = readdirSync(join(outputDir, ".millrace", "logs")).map((name) =>
      readFileSync(join(outputDir, ".millrace", "logs", name), "utf8"),
    );
    expect(logs.join("")).toContain(said[0]);
  });
});

class Provider extends EnvironmentProvider<object> {
  buildEnvLocal() {
    return {};
  }
}

class PlainWriterRunner extends BaseRunner<object, number> {
  static override openWriters(shardDir: string) {
    const lines: number[] = [];
    return { lists: { shardDir, write: (n: number) => void lines.push(n), close() {} } };
  }
  static forward(idx: number) {
    return idx;
  }
  static override writeRecord({ lists }: Record<string, unknown>, result: number) {
    (lists as { write(n: number): void }).write(result);
  }
  override merge() {}
}

describe("a runner whose writers have no checkpoints", () => {
  const options = { progress: false, shards: 4 } as const;

  it("is named once at the start, with what a kill costs and what to do", async () => {
    await new PlainWriterRunner(new Provider({}), { ...options, outputDir: temporaryFolder() }).run(range(40));
    expect(timesSaid("PlainWriterRunner")).toBe(1);
    expect(stderr).toMatch(/lists.*no checkpoint\(\) and restore\(\).*begins? again.*first item/s);
  });

  it("is named again when the run is started again, and not where nothing is left to do", async () => {
    const outputDir = temporaryFolder();
    const leave = new AbortController();
    const run = (signal?: AbortSignal) =>
      new PlainWriterRunner(new Provider({}), { ...options, outputDir, signal }).run(range(40));
    leave.abort();
    await expect(run(leave.signal)).rejects.toMatchObject({ code: "RUN_STOPPED" });
    await run();
    expect(timesSaid("PlainWriterRunner")).toBe(1);
    await run();
    expect(timesSaid("PlainWriterRunner")).toBe(1);
  });
});
