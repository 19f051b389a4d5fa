import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BaseRunner,
  BatchRunner,
  concatenateShardFiles,
  EnvironmentProvider,
  jsonlWriter,
  range,
  readShardState,
  type ShardPlace,
  type ShardState,
  textWriter,
  type Writer,
  type WriterCheckpoint,
} from "millrace";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Writers = Record<string, unknown>;

interface Env {
  readonly name: string;
}

class Provider extends EnvironmentProvider<Env> {
  buildEnvLocal(): Env {
    return { name: "env" };
  }
}

const quiet = { progress: false } as const;

describe("a runner's hooks", () => {
  it("are called with the writers, the state and the env, in their order", async () => {
    const seen: string[] = [];
    class Watching extends BaseRunner<Env, number> {
      static forward(idx: number) {
        seen.push(`forward ${idx}`);
        return idx;
      }
      static override openWriters(shardDir: string, env: Env): Writers {
        seen.push(`openWriters ${env.name}`);
        return { records: jsonlWriter(shardDir) };
      }
      static override writeRecord(writers: Writers, result: number, state: ShardState, env: Env) {
        seen.push(`writeRecord ${result} of shard ${state.shardId} in ${env.name}`);
        (writers["records"] as Writer).write(result);
      }
      static override closeWriters(writers: Writers, _state: ShardState, env: Env) {
        seen.push(`closeWriters ${env.name}`);
        return super.closeWriters(writers, _state, env as never);
      }
    }
    expect(await new Watching(new Provider({}), { ...quiet, shards: 1 }).run(range(2))).toEqual([0, 1]);
    expect(seen).toEqual([
      "openWriters env",
      "forward 0",
      "writeRecord 0 of shard 0 in env",
      "forward 1",
      "writeRecord 1 of shard 0 in env",
      "closeWriters env",
    ]);
  });

  it("reduce into a state that merge reads back from each shard, typed arrays and all", async () => {
    class Sum extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx;
      }
      static override openWriters() {
        return {};
      }
      static override async initState(place: ShardPlace, env: Env) {
        return { ...(await super.initState(place, env as never)), sum: 0, histogram: new Float64Array(2) };
      }
      static override writeRecord(
        _writers: Writers,
        result: number,
        state: ShardState & { sum: number; histogram: Float64Array },
      ) {
        state.sum += result;
        state.histogram[result % 2]! += 1;
      }
      static override closeWriters() {
        return { closed: 1 };
      }
      override merge(shardDirs: string[]) {
        const states = shardDirs.map((dir) =>
          readShardState<{ sum: number; closed: number; histogram: Float64Array }>(dir),
        );
        const total = (key: "sum" | "closed") => states.reduce((sum, state) => sum + state[key], 0);
        expect(states[0]!.histogram).toBeInstanceOf(Float64Array);
        return {
          sum: total("sum"),
          closed: total("closed"),
          histogram: [0, 1].map((i) => states.reduce((sum, { histogram }) => sum + histogram[i]!, 0)),
        };
      }
    }
    const result = await new Sum(new Provider({}), { ...quiet, shards: 3 }).run(range(10));
    expect(result).toEqual({ sum: 45, closed: 3, histogram: [5, 5] });
  });

  it("may be overridden in part: reduceState and finalizeState", async () => {
    class Counting extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx * 10;
      }
      static override reduceState(state: ShardState & { seen?: number[] }, result: number) {
        return { ...state, seen: [...(state.seen ?? []), result] };
      }
      static override async finalizeState(state: ShardState & { seen?: number[] }, env: Env) {
        await super.finalizeState(state, env as never);
        return { last: state.seen!.at(-1) };
      }
      override merge(shardDirs: string[]) {
        return shardDirs.map((dir) => readShardState<{ last: number }>(dir).last);
      }
    }
    expect(await new Counting(new Provider({}), { ...quiet, shards: 2 }).run(range(4))).toEqual([10, 30]);
  });

  it("give merge the shard folders in item order, and run returns what it returns", async () => {
    const outputDir = temporaryFolder();
    class Listing extends BaseRunner<Env, { id: string }> {
      static forward(idx: number) {
        return { id: `utt-${idx}` };
      }
      static override openWriters(shardDir: string) {
        return { text: textWriter(shardDir, "utt2spk") };
      }
      static override writeRecord({ text }: Writers, { id }: { id: string }) {
        (text as Writer<string>).write(`${id} spk`);
      }
      override merge(shardDirs: string[]) {
        concatenateShardFiles(shardDirs, "utt2spk", join(outputDir, "utt2spk"));
        return shardDirs.map((dir) => dir.slice(outputDir.length + 1));
      }
    }
    const merged = await new Listing(new Provider({}), { ...quiet, outputDir, shards: 12 }).run(range(12));
    expect(merged).toEqual([...range(12)].map((i) => `split.${i}`));
    expect(readFileSync(join(outputDir, "utt2spk"), "utf8").split("\n").slice(0, 12)).toEqual(
      [...range(12)].map((i) => `utt-${i} spk`),
    );
  });

  it("may all be asynchronous", async () => {
    const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)));
    class Late extends BaseRunner<Env, number> {
      static async forward(idx: number) {
        return later(idx);
      }
      static override async openWriters(shardDir: string) {
        return later({ records: jsonlWriter(shardDir) });
      }
      static override async writeRecord(writers: Writers, result: number) {
        await later(undefined);
        (writers["records"] as Writer).write(result);
      }
      static override async isShardDone(shardDir: string) {
        return later(readdirSync(shardDir).includes("done"));
      }
      override async merge(shardDirs: string[]) {
        return later(await super.merge(shardDirs));
      }
    }
    expect(await new Late(new Provider({}), { ...quiet, shards: 3 }).run(range(7))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("may judge a shard themselves: isShardDone", async () => {
    class Picky extends BaseRunner<Env, string> {
      static model = "a";
      static runs = 0;
      static forward(idx: number) {
        Picky.runs++;
        return idx < 2 ? "always good" : Picky.model;
      }
      static override isShardDone(shardDir: string) {
        const text = readFileSync(join(shardDir, "records.jsonl"), "utf8");
        return text.includes("always good") || text.includes(Picky.model);
      }
    }
    const options = { ...quiet, outputDir: temporaryFolder(), shards: 2 };
    await new Picky(new Provider({}), options).run(range(4));
    Picky.model = "b";
    Picky.runs = 0;
    expect(await new Picky(new Provider({}), options).run(range(4))).toEqual(["always good", "always good", "b", "b"]);
    expect(Picky.runs).toBe(2);
  });

  it("may not refuse a shard that was just committed: it would be computed for ever", async () => {
    class Never extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx;
      }
      static override isShardDone() {
        return false;
      }
    }
    await expect(new Never(new Provider({}), quiet).run(range(1))).rejects.toThrow(
      /isShardDone returned false for split.0/,
    );
  });

  it("are named in the error when they fail", async () => {
    class NoWriter extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx;
      }
      static override openWriters(): Writers {
        throw new Error("no such device");
      }
    }
    await expect(new NoWriter(new Provider({}), quiet).run(range(1))).rejects.toMatchObject({
      code: "WRITER_FAILED",
      message: expect.stringMatching(/NoWriter\.initState failed: no such device[\s\S]*openWriters/),
    });
  });

  it.each([
    ["nothing", () => undefined, "undefined"],
    ["nothing, later", async () => undefined, "undefined"],
    ["a state of its own", () => ({ sum: 1 }), "an object"],
  ])("are refused a reduceState that returns %s", async (_what, reduce, got) => {
    class Forgetful extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx;
      }
      static override reduceState = reduce as unknown as typeof BaseRunner.reduceState;
    }
    await expect(new Forgetful(new Provider({}), quiet).run(range(1))).rejects.toMatchObject({
      code: "BAD_RUNNER",
      message: expect.stringContaining(
        `Forgetful.reduceState must return a state with its writers in it; it returned ${got}.`,
      ),
    });
  });

  it("say so when forward is missing", async () => {
    class Empty extends BaseRunner<Env> {}
    await expect(new Empty(new Provider({}), quiet).run(range(1))).rejects.toThrow(/Empty has no static forward/);
  });
});

describe("batches by cost", () => {
  class ByCost extends BatchRunner<Env, number> {
    static calls: number[][] = [];
    static forward(idx: number[]) {
      ByCost.calls.push(idx);
      return idx;
    }
    static itemCost(idx: number) {
      return idx;
    }
  }

  it.each([
    ["sum", [[0, 1, 2, 3], [4], [5], [6], [7]]],
    ["padded", [[0, 1, 2], [3], [4], [5], [6], [7]]],
  ] as const)("stay below the greatest %s", async (cost, expected) => {
    ByCost.calls = [];
    await new ByCost(new Provider({}), { ...quiet, shards: 1, batchBy: { cost, max: 6 } }).run(range(8));
    expect(ByCost.calls).toEqual(expected);
  });
});

describe("a user's own writer", () => {
  class Plain implements Writer<number> {
    protected readonly path: string;
    protected readonly lines: number[] = [];
    constructor(shardDir: string) {
      this.path = join(shardDir, "numbers");
    }
    write(record: number) {
      appendFileSync(this.path, `${record}\n`);
      this.lines.push(record);
    }
    close() {}
  }

  class Checkpointing extends Plain {
    private bytes = 0;
    override write(record: number) {
      super.write(record);
      this.bytes += `${record}\n`.length;
    }
    checkpoint(): WriterCheckpoint {
      return { files: this.bytes === 0 ? [] : [{ name: "numbers", bytes: this.bytes }], token: { bytes: this.bytes } };
    }
    restore({ token }: WriterCheckpoint) {
      this.bytes = (token as { bytes: number }).bytes;
    }
  }

  async function resumeWith(make: (shardDir: string) => Writer<number>): Promise<{ again: number[]; text: string }> {
    const outputDir = temporaryFolder();
    let failAt = 3;
    let again: number[] = [];
    class Numbers extends BaseRunner<Env, number> {
      static forward(idx: number) {
        if (idx === failAt) throw new Error("not now");
        again.push(idx);
        return idx;
      }
      static override openWriters(shardDir: string) {
        return { numbers: make(shardDir) };
      }
      static override writeRecord(writers: Writers, result: number) {
        (writers["numbers"] as Writer<number>).write(result);
      }
    }
    const options = { ...quiet, outputDir, shards: 1 };
    await expect(new Numbers(new Provider({}), options).run(range(6))).rejects.toThrow("not now");
    failAt = -1;
    again = [];
    await new Numbers(new Provider({}), options).run(range(6));
    return { again, text: readFileSync(join(outputDir, "split.0", "numbers"), "utf8") };
  }

  it("continues from its checkpoint when it has checkpoint and restore", async () => {
    expect(await resumeWith((dir) => new Checkpointing(dir))).toEqual({ again: [3, 4, 5], text: "0\n1\n2\n3\n4\n5\n" });
  });

  it("begins its shard again when it has not", async () => {
    expect(await resumeWith((dir) => new Plain(dir))).toEqual({
      again: [0, 1, 2, 3, 4, 5],
      text: "0\n1\n2\n3\n4\n5\n",
    });
  });
});
