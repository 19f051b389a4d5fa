// Arrays from a run: shards in, one list or one file out.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BaseRunner, EnvironmentProvider, range } from "millrace";
import {
  mergeNpy,
  mergeNpz,
  mergeScp,
  ndArray,
  npyScpWriter,
  npyWriter,
  npzWriter,
  openNpz,
  readNpy,
  readScp,
} from "millrace/formats";
import { describe, expect, it } from "vitest";
import { askPython, pythonWith } from "../support/formats/python.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Writers = Record<string, unknown>;

const count = 50;
const python = pythonWith("numpy");

class VectorProvider extends EnvironmentProvider<object> {
  buildEnvLocal(): object {
    return {};
  }
}

type ArrayWriters = Writers & {
  readonly scp: ReturnType<typeof npyScpWriter>;
  readonly npz: ReturnType<typeof npzWriter>;
  readonly npy: ReturnType<typeof npyWriter>;
};

class VectorRunner extends BaseRunner<object, number> {
  static forward(idx: number): number | null {
    return idx % 10 === 9 ? null : idx;
  }
  static override openWriters(shardDir: string): Writers {
    return {
      scp: npyScpWriter(shardDir, { name: "vectors/xvector" }),
      npz: npzWriter(shardDir, { name: "all" }),
      npy: npyWriter(shardDir, { name: "rows" }),
    };
  }
  static override writeRecord(writers: Writers, result: number): void {
    const { scp, npz, npy } = writers as ArrayWriters;
    const array = ndArray("float32", Float32Array.of(result, result / 3));
    scp.write({ id: idOf(result), array });
    npz.write({ id: idOf(result), array });
    npy.write(array);
  }
  override merge(shardDirs: string[]): never {
    mergeScp(shardDirs, "vectors/xvector");
    mergeNpz(shardDirs, "all");
    mergeNpy(shardDirs, "rows");
    return shardDirs as never;
  }
}

const idOf = (item: number) => `spk/${item % 3}/utt-${item}`;
const kept = Array.from({ length: count }, (_, i) => i).filter((i) => i % 10 !== 9);

async function run(shards: number, outputDir = temporaryFolder()): Promise<string> {
  await new VectorRunner(new VectorProvider({}), { outputDir, shards, progress: false }).run(range(count));
  return outputDir;
}

describe("merged arrays", () => {
  it("are the same npy and npz bytes for any number of shards", async () => {
    const read = (dir: string) =>
      ["all.npz", "all.index.jsonl", "rows.npy"].map((name) => readFileSync(join(dir, name)).toString("base64"));
    const expected = read(await run(1));
    expect(read(await run(3))).toEqual(expected);
    expect(read(await run(50))).toEqual(expected);
  });

  it("hold every item that was not dropped, in order and under its id", async () => {
    const dir = await run(4);
    const rows = readNpy(join(dir, "rows.npy"));
    expect(rows.shape).toEqual([kept.length, 2]);
    expect([...(rows.data as Float32Array)].filter((_, i) => i % 2 === 0)).toEqual(kept);
    const npz = openNpz(join(dir, "all.npz"));
    expect(npz.names).toEqual(kept.map(idOf));
    expect(npz.get(idOf(12)).data[0]).toBe(12);
    npz.close();
  });

  it("are listed with paths that stay right when the folder is moved", async () => {
    const from = await run(5);
    const to = join(temporaryFolder(), "a", "b");
    mkdirSync(dirname(to));
    renameSync(from, to);
    const list = readScp(join(to, "vectors", "xvector.scp"));
    expect([...list.keys()]).toEqual(kept.map(idOf));
    expect([...list.values()].map((path) => readNpy(path).data[0])).toEqual(kept);
  });

  it("are listed with whole paths on demand", async () => {
    const dir = await run(2);
    const shardDirs = [join(dir, "split.0"), join(dir, "split.1")];
    const target = join(temporaryFolder(), "list.scp");
    mergeScp(shardDirs, "vectors/xvector", { target, absolute: true });
    const [line] = readFileSync(target, "utf8").split("\n");
    expect(line).toBe(`spk/0/utt-0 ${dir}/split.0/vectors/data_xvector/spk=2f0=2futt-0.npy`);
  });

  it("are refused where a shard was changed after it was committed", async () => {
    const dir = await run(2);
    const path = join(dir, "split.1", "vectors", "xvector.scp");
    writeFileSync(path, readFileSync(path, "utf8").replace("utt", "ttu"));
    expect(() => mergeScp([join(dir, "split.1")], "vectors/xvector")).toThrow(
      expect.objectContaining({ code: "SHARD_DAMAGED" }),
    );
  });

  it("name a file that no shard has", async () => {
    const dir = await run(1);
    expect(() => mergeNpy([join(dir, "split.0")], "other")).toThrow(/No shard has a file other.npy/);
  });

  it.skipIf(python === undefined)("are read by NumPy (skipped without it)", async () => {
    const dir = await run(3);
    const [npz, rows] = askPython(python!, [
      { kind: "npz", path: join(dir, "all.npz") },
      { kind: "npy", path: join(dir, "rows.npy") },
    ]) as [Record<string, unknown>, { shape: number[] }];
    expect(Object.keys(npz)).toEqual(kept.map(idOf));
    expect(rows.shape).toEqual([kept.length, 2]);
  });
});

describe("mergeFiles", () => {
  it("puts lists of paths together as lists of paths", async () => {
    class PlainRunner extends VectorRunner {
      override merge(shardDirs: string[]): never {
        return BaseRunner.prototype.merge.call(this, shardDirs) as never;
      }
    }
    const outputDir = temporaryFolder();
    const options = { outputDir, shards: 3, progress: false, mergeFiles: true };
    await new PlainRunner(new VectorProvider({}), options).run(range(count));
    const list = readScp(join(outputDir, "vectors", "xvector.scp"));
    expect([...list.values()].map((path) => readNpy(path).data[0])).toEqual(kept);
  });
});
