// The page about BaseRunner (seed 000), promise by promise.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BaseRunner, range, readShardState, type ShardPlace, type ShardState } from "millrace";
import { describe, expect } from "vitest";
import { type PageEnv, PageProvider, PageRunner, SumRunner } from "../../fixtures/seed-pages/page-classes.ts";
import { promisesOf } from "../../support/seed-pages/page-promises.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const quiet = { progress: false } as const;
const process2 = { ...quiet, parallel: { env: "process", n_workers: 2 } } as const;
const squares = (count: number) => Array.from({ length: count }, (_, i) => i * i);
const shardsIn = (dir: string) => readdirSync(dir).filter((name) => name.startsWith("split."));
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

describe("base runner", () => {
  const promise = promisesOf("base runner");

  promise("a runner takes provider, batch size, output folder, sub-folder and resume", async () => {
    const outputDir = temporaryFolder();
    const options = { ...quiet, batchSize: 2, outputDir, shardSubdir: "sub", resume: true };
    expect(await new PageRunner(new PageProvider({ items: 4 }), options).run(range(4))).toEqual(squares(4));
  });
  promise("the same runner runs locally and in parallel", async () => {
    const run = (options: object) => new PageRunner(new PageProvider({ items: 20 }), options).run(range(20));
    expect(await run(process2)).toEqual(await run(quiet));
  });
  promise("each worker gets an env from the provider", async () => {
    const log = join(temporaryFolder(), "log");
    await new PageRunner(new PageProvider({ items: 40, log }), { ...process2, shards: 40 }).run(range(40));
    const builders = linesOf(log).filter((line) => line.startsWith("env"));
    expect(new Set(builders).size).toBe(builders.length);
    expect(builders.every((line) => line !== `env ${process.pid}`)).toBe(true);
  });
  promise("forward is static and needs no instance", () => {
    const env = new PageProvider({ items: 3 }).buildEnvLocal();
    expect(PageRunner.forward(2, env)).toBe(4);
  });
  promise("an interrupted run continues with what is left", async () => {
    const folder = temporaryFolder();
    const [log, cured] = [join(folder, "log"), join(folder, "cured")];
    const config = { items: 12, log, failFrom: 6, cured };
    const run = () =>
      new PageRunner(new PageProvider(config), { ...quiet, outputDir: join(folder, "out") }).run(range(12));
    await expect(run()).rejects.toThrow("item 6 fails");
    writeFileSync(cured, "");
    const before = linesOf(log).length;
    expect(await run()).toEqual(squares(12));
    const again = linesOf(log)
      .slice(before)
      .filter((line) => line.startsWith("forward"));
    expect(again).toEqual(Array.from({ length: 6 }, (_, i) => `forward ${i + 6}`));
  });
  promise("results may be reduced on the worker before the driver merges them", async () => {
    class Merging extends SumRunner {
      override async merge(shardDirs: string[]) {
        return shardDirs.map((dir) => readShardState<{ sum: number }>(dir).sum).reduce((a, b) => a + b, 0);
      }
    }
    const runner = new Merging(new PageProvider({ items: 10 }), { ...quiet, outputDir: temporaryFolder(), shards: 3 });
    expect(await runner.run(range(10))).toBe(285);
  });
  promise("files of the shards are written below the output folder", async () => {
    const outputDir = temporaryFolder();
    await new PageRunner(new PageProvider({ items: 6 }), { ...quiet, outputDir, shards: 3 }).run(range(6));
    expect(shardsIn(outputDir).sort()).toEqual(["split.0", "split.1", "split.2"]);
  });
  promise("shards of a previous run that are complete are used again", async () => {
    const folder = temporaryFolder();
    const log = join(folder, "log");
    const run = () =>
      new PageRunner(new PageProvider({ items: 6, log }), { ...quiet, outputDir: join(folder, "out") }).run(range(6));
    await run();
    const before = linesOf(log).filter((line) => line.startsWith("forward")).length;
    expect(await run()).toEqual(squares(6));
    expect(linesOf(log).filter((line) => line.startsWith("forward")).length).toBe(before);
  });
  promise("forward gets one index, or a list of them with a batch size", async () => {
    const seen: unknown[] = [];
    class Seeing extends PageRunner {
      static override forward(idx: number | readonly number[], env: PageEnv) {
        seen.push(idx);
        return PageRunner.forward(idx as number, env);
      }
    }
    await new Seeing(new PageProvider({ items: 3 }), { ...quiet, shards: 1 }).run(range(3));
    await new Seeing(new PageProvider({ items: 3 }), { ...quiet, shards: 1, batchSize: 2 }).run(range(3));
    expect(seen).toEqual([0, 1, 2, [0, 1], [2]]);
  });
  promise("the provider builds the env for local runs and for workers", async () => {
    const provider = new PageProvider({ items: 2 });
    const setup = provider.buildWorkerSetupFn();
    expect(Object.keys(await setup())).toEqual(Object.keys(provider.buildEnvLocal()));
  });
  promise("opening, writing and closing of a shard's files can be overridden", async () => {
    const outputDir = temporaryFolder();
    await new SumRunner(new PageProvider({ items: 3 }), { ...quiet, outputDir, shards: 1 }).run(range(3));
    expect(readFileSync(join(outputDir, "split.0/squares.jsonl"), "utf8")).toBe("0\n1\n4\n");
  });
  promise(
    "merge_state and merge_shard_files can be overridden",
    "differs: there is one hook, merge; readShardState and concatenateShardFiles are what it calls",
  );
  promise(
    "an output folder has to be given",
    "differs: without one a temporary folder is used and the records are returned",
  );
  promise("the sub-folder holds the shards and the manifest", async () => {
    const outputDir = temporaryFolder();
    await new PageRunner(new PageProvider({ items: 2 }), { ...quiet, outputDir, shardSubdir: "a/b", shards: 1 }).run(
      range(2),
    );
    expect(readdirSync(join(outputDir, "a/b"))).toEqual(expect.arrayContaining(["manifest.json", "split.0"]));
  });
  promise("resume: false does shards again that have a marker", async () => {
    const folder = temporaryFolder();
    const log = join(folder, "log");
    const run = (resume: boolean) =>
      new PageRunner(new PageProvider({ items: 3, log }), { ...quiet, outputDir: join(folder, "out"), resume }).run(
        range(3),
      );
    await run(true);
    await run(false);
    expect(linesOf(log).filter((line) => line === "forward 0")).toHaveLength(2);
  });
  promise("a shard is complete when its folder holds the marker done", async () => {
    const outputDir = temporaryFolder();
    await new PageRunner(new PageProvider({ items: 2 }), { ...quiet, outputDir, shards: 1 }).run(range(2));
    expect(existsSync(join(outputDir, "split.0/done"))).toBe(true);
  });
  promise("the example of 100 items gives one result an item, in order", async () => {
    expect(await new PageRunner(new PageProvider({ items: 100 }), quiet).run(range(100))).toEqual(squares(100));
  });
  promise("a runner is called like a function", "differs: runner.run(items); an instance of a class is not callable");
  promise("what close_writers returns is added to the state of the shard", async () => {
    const outputDir = temporaryFolder();
    await new SumRunner(new PageProvider({ items: 3 }), { ...quiet, outputDir, shards: 1 }).run(range(3));
    expect(readShardState(join(outputDir, "split.0"))).toMatchObject({ sum: 5, closed: 1 });
  });
  promise("the final state is without the writers", async () => {
    const outputDir = temporaryFolder();
    await new SumRunner(new PageProvider({ items: 3 }), { ...quiet, outputDir, shards: 1 }).run(range(3));
    expect(readShardState(join(outputDir, "split.0"))).not.toHaveProperty("writers");
  });
  promise("a runner without forward is refused", async () => {
    class Empty extends BaseRunner<PageEnv> {}
    const started = (async () => new Empty(new PageProvider({ items: 1 }), quiet).run(range(1)))();
    await expect(started).rejects.toMatchObject({ code: "BAD_RUNNER" });
  });
  promise("init_state opens the writers and names the shard's number and folder", async () => {
    const seen: ShardState[] = [];
    class Looking extends PageRunner {
      static override async initState(place: ShardPlace, env: PageEnv) {
        const state = (await super.initState(place, env)) as ShardState;
        seen.push(state);
        return state;
      }
    }
    await new Looking(new PageProvider({ items: 1 }), { ...quiet, shards: 1 }).run(range(1));
    expect(seen[0]).toMatchObject({ shardId: 0, shardDir: expect.any(String), writers: expect.anything() });
  });
  promise(
    "the state begins with an empty list of records",
    "differs: records go to records.jsonl as they come, so a shard of any length fits in memory",
  );
  promise(
    "the shard's folder in the state is split.N",
    "differs: an attempt has a folder of its own, which becomes split.N with the commit",
  );
  promise("is_shard_done is true for a folder with the marker", async () => {
    const outputDir = temporaryFolder();
    await new PageRunner(new PageProvider({ items: 2 }), { ...quiet, outputDir, shards: 1 }).run(range(2));
    expect(await PageRunner.isShardDone(join(outputDir, "split.0"))).toBe(true);
    expect(await PageRunner.isShardDone(outputDir)).toBe(false);
  });
  promise("merge gets the folders of the shards in order, and what it returns is the result", async () => {
    class Naming extends PageRunner {
      override async merge(shardDirs: string[]) {
        return shardDirs.map((dir) => dir.slice(dir.lastIndexOf("/") + 1));
      }
    }
    const runner = new Naming(new PageProvider({ items: 6 }), { ...quiet, outputDir: temporaryFolder(), shards: 3 });
    expect(await runner.run(range(6))).toEqual(["split.0", "split.1", "split.2"]);
  });
  promise("writers are opened once a shard, with its folder and the env", async () => {
    const seen: string[] = [];
    class Opening extends SumRunner {
      static override openWriters(shardDir: string) {
        seen.push(existsSync(shardDir) ? "open" : "no folder");
        return SumRunner.openWriters(shardDir);
      }
    }
    await new Opening(new PageProvider({ items: 4 }), { ...quiet, outputDir: temporaryFolder(), shards: 2 }).run(
      range(4),
    );
    expect(seen).toEqual(["open", "open"]);
  });
  promise("reduce_state takes one result into the state", async () => {
    class Counting extends PageRunner {
      static override reduceState(state: ShardState & { n?: number }, _result: number) {
        return { ...state, n: (state.n ?? 0) + 1 };
      }
    }
    const outputDir = temporaryFolder();
    await new Counting(new PageProvider({ items: 4 }), { ...quiet, outputDir, shards: 1 }).run(range(4));
    expect(readShardState(join(outputDir, "split.0"))).toMatchObject({ n: 4 });
  });
  promise(
    "reduce_state and write_record get the result of a batch as a whole",
    "differs: they get one result an item, whatever the batch; writeBatch gets the batch",
  );
  promise("write_record gets writers, result, state and env after each forward", async () => {
    const seen: unknown[] = [];
    class Writing extends SumRunner {
      static override writeRecord(...args: Parameters<typeof SumRunner.writeRecord>) {
        seen.push([Object.keys(args[0]), args[1], args[2].shardId]);
        SumRunner.writeRecord(...args);
      }
    }
    await new Writing(new PageProvider({ items: 2 }), { ...quiet, outputDir: temporaryFolder(), shards: 1 }).run(
      range(2),
    );
    expect(seen).toEqual([
      [["records"], 0, 0],
      [["records"], 1, 0],
    ]);
  });
});
