import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseRunner, EnvironmentProvider, jsonlWriter, range, type Writer } from "millrace";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Writers = Record<string, unknown>;

class Provider extends EnvironmentProvider<object> {
  buildEnvLocal() {
    return {};
  }
}

const quiet = { progress: false, shards: 2 } as const;
const linesIn = (outputDir: string, name: string) =>
  [0, 1].flatMap((shard) => {
    try {
      return readFileSync(join(outputDir, `split.${shard}`, name), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    } catch {
      return [];
    }
  });

describe("the values of a run", () => {
  it("are returned as they are on the disk, typed arrays as arrays", async () => {
    class Vectors extends BaseRunner<object, { idx: number; vector: Float32Array }> {
      static forward(idx: number) {
        return { idx, vector: new Float32Array([idx, 0.5]) };
      }
    }
    const outputDir = temporaryFolder();
    const kept = await new Vectors(new Provider({}), { ...quiet, outputDir }).run(range(4));
    const temporary = await new Vectors(new Provider({}), quiet).run(range(4));
    const expected = [0, 1, 2, 3].map((idx) => ({ idx, vector: [idx, 0.5] }));
    expect([...kept]).toEqual(expected);
    expect([...temporary]).toEqual(expected);
    expect(linesIn(outputDir, "records.jsonl")).toEqual(expected);
  });

  class Odd extends BaseRunner<object, unknown> {
    static forward(idx: number) {
      const odd = [Number.NaN, new Map([["a", 1]]), new Error("returned"), undefined];
      return { idx, values: [{ mean: idx < odd.length ? odd[idx] : idx }] };
    }
  }

  it("that JSON would lose are failures of their items, by their paths", async () => {
    const outputDir = temporaryFolder();
    const records = await new Odd(new Provider({}), { ...quiet, outputDir, onError: "skip" }).run(range(6));
    expect([...records]).toEqual([4, 5].map((idx) => ({ idx, values: [{ mean: idx }] })));
    const failures = linesIn(outputDir, "failures.jsonl") as { item: number; error: Record<string, string> }[];
    expect(failures.map(({ item, error }) => [item, error["code"]])).toEqual(
      [0, 1, 2, 3].map((item) => [item, "BAD_RECORD"]),
    );
    const texts = failures.map(({ error }) => error["message"]!.split("\n", 1)[0]);
    expect(texts).toEqual([
      expect.stringContaining("result.values[0].mean is NaN"),
      expect.stringContaining("result.values[0].mean is a Map"),
      expect.stringContaining("result.values[0].mean is an Error"),
      expect.stringContaining("result.values[0].mean is undefined"),
    ]);
  });

  it("that JSON would lose end a run that does not skip, with the item and the path", async () => {
    const running = new Odd(new Provider({}), { ...quiet, outputDir: temporaryFolder() }).run(range(6));
    await expect(running).rejects.toMatchObject({
      code: "ITEM_FAILED",
      item: 0,
      message: expect.stringMatching(/item 0: .*result\.values\[0\]\.mean is NaN(.|\n)*nonFinite/),
      cause: expect.objectContaining({ code: "BAD_RECORD" }),
    });
  });

  it('are null with nonFinite: "null" where they are NaN, for the default records', async () => {
    class Rates extends BaseRunner<object, { idx: number; rate: number }> {
      static forward(idx: number) {
        return { idx, rate: idx === 1 ? Number.NaN : 0.5 };
      }
    }
    const records = await new Rates(new Provider({}), { ...quiet, nonFinite: "null" }).run(range(3));
    expect([...records]).toEqual([
      { idx: 0, rate: 0.5 },
      { idx: 1, rate: null },
      { idx: 2, rate: 0.5 },
    ]);
  });

  it("of a runner with a writeRecord of its own are checked in the default records too", async () => {
    class Doubled extends BaseRunner<object, number> {
      static forward(idx: number) {
        return idx === 1 ? Number.NaN : idx;
      }
      static override writeRecord(writers: Record<string, unknown>, result: number) {
        (writers["records"] as { write(record: unknown): void }).write({ twice: 2 * result });
      }
    }
    const outputDir = temporaryFolder();
    const skipping = new Doubled(new Provider({}), { ...quiet, outputDir, onError: "skip" });
    expect([...(await skipping.run(range(3)))]).toEqual([{ twice: 0 }, { twice: 4 }]);
    const nulls = new Doubled(new Provider({}), { ...quiet, nonFinite: "null" });
    expect([...(await nulls.run(range(3)))]).toEqual([{ twice: 0 }, { twice: null }, { twice: 4 }]);
  });

  it("have a nonFinite that is checked", () => {
    const options = { nonFinite: "zero" as "null" };
    expect(() => new Odd(new Provider({}), options)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});

interface Pair {
  readonly first: number;
  readonly second: number;
}

/** Two files, of which the second may refuse what the first has written. */
class Pairs extends BaseRunner<object, Pair> {
  static forward(idx: number): Pair {
    return { first: idx === 2 ? Number.NaN : idx, second: idx === 4 ? Number.NaN : idx };
  }
  static override openWriters(shardDir: string): Writers {
    return { first: jsonlWriter(shardDir, "first.jsonl"), second: jsonlWriter(shardDir, "second.jsonl") };
  }
  static override writeRecord(writers: Writers, { first, second }: Pair) {
    (writers["first"] as Writer<number>).write(first);
    (writers["second"] as Writer<number>).write(second);
  }
}

describe("an item of which a part is refused", () => {
  it("is skipped where nothing of it was written", async () => {
    const outputDir = temporaryFolder();
    await new Pairs(new Provider({}), { ...quiet, outputDir, onError: "skip" }).run(range(4));
    expect(linesIn(outputDir, "first.jsonl")).toEqual([0, 1, 3]);
    expect(linesIn(outputDir, "second.jsonl")).toEqual([0, 1, 3]);
  });

  it("ends the run where another part was written: it would stay in the outputs", async () => {
    const outputDir = temporaryFolder();
    const run = new Pairs(new Provider({}), { ...quiet, outputDir, onError: "skip" }).run(range(6));
    await expect(run).rejects.toMatchObject({
      code: "WRITER_FAILED",
      item: 4,
      message: expect.stringMatching(/Pairs may have written a part of item 4 .*result is NaN/),
    });
  });

  it("ends the run where the runner keeps a state, which may have counted it", async () => {
    class Counted extends Pairs {
      static override async initState(place: Parameters<typeof BaseRunner.initState>[0], env: never) {
        return { ...(await super.initState(place, env)), count: 0 };
      }
    }
    const run = new Counted(new Provider({}), { ...quiet, outputDir: temporaryFolder(), onError: "skip" }).run(
      range(4),
    );
    await expect(run).rejects.toMatchObject({ code: "WRITER_FAILED", item: 2 });
  });
});
