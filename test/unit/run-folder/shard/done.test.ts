import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Done,
  describeFile,
  inspectShard,
  listFiles,
  readDone,
  writeDone,
} from "../../../../src/run-folder/shard/done.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A committed shard of two files, one of them in a folder below. */
function committedShard(): { dir: string; done: Done } {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "wav"));
  writeFileSync(join(dir, "records.jsonl"), '{"a":1}\n');
  writeFileSync(join(dir, "wav", "0.bin"), Buffer.from([1, 2, 3]));
  const counts = { items: 2, written: 1, dropped: 1, failed: 0 };
  const done: Done = { version: 1, shard: 4, attempt: 2, worker: "w", counts, files: listFiles(dir, new Map()) };
  writeDone(dir, done);
  return { dir, done };
}

const damages: [string, (dir: string) => void, RegExp][] = [
  [
    "a file is missing",
    (dir) => rmSync(join(dir, "records.jsonl")),
    /records.jsonl is not there; it was committed with 8/,
  ],
  [
    "a folder is missing",
    (dir) => rmSync(join(dir, "wav"), { recursive: true }),
    /0.bin is not there; it was committed with 3/,
  ],
  [
    "a file is longer",
    (dir) => appendFileSync(join(dir, "wav", "0.bin"), "x"),
    /0.bin has 4 bytes; it was committed with 3/,
  ],
  [
    "a file is shorter",
    (dir) => truncateSync(join(dir, "records.jsonl"), 5),
    /records.jsonl has 5 bytes; it was committed with 8/,
  ],
  ["done is cut off", (dir) => truncateSync(join(dir, "done"), 30), /done is not a complete marker/],
  ["done is empty", (dir) => truncateSync(join(dir, "done"), 0), /done is not a complete marker/],
  ["done is something else", (dir) => writeFileSync(join(dir, "done"), "null"), /done is not a complete marker/],
  [
    "done has another version",
    (dir) => writeFileSync(join(dir, "done"), '{"version":2}'),
    /done is not a complete marker/,
  ],
];

describe("inspectShard", () => {
  it("finds nothing where no folder is", () => {
    expect(inspectShard(join(temporaryFolder(), "split.0"))).toEqual({ state: "absent" });
  });

  it("finds nothing in a folder without done", () => {
    const { dir } = committedShard();
    rmSync(join(dir, "done"));
    expect(inspectShard(dir)).toEqual({ state: "absent" });
  });

  it("finds a committed shard and what its done says", () => {
    const { dir, done } = committedShard();
    expect(inspectShard(dir)).toEqual({ state: "committed", done });
  });

  it.each(damages)("finds damage where %s, and names the file", (_name, damage, reason) => {
    const { dir } = committedShard();
    damage(dir);
    expect(inspectShard(dir)).toEqual({ state: "damaged", reason: expect.stringMatching(reason) });
  });
});

describe("readDone", () => {
  it("refuses a damaged shard and says what to do", () => {
    const { dir } = committedShard();
    truncateSync(join(dir, "records.jsonl"), 5);
    expect(() => readDone(dir)).toThrow(expect.objectContaining({ code: "SHARD_DAMAGED", hint: expect.any(String) }));
  });

  it("refuses a shard that is not there", () => {
    expect(() => readDone(temporaryFolder())).toThrow(/done is not there/);
  });
});

describe("listFiles", () => {
  it("lists files below, sorted, without done and checkpoints", () => {
    const { dir } = committedShard();
    writeFileSync(join(dir, ".checkpoint.0"), "x");
    expect(listFiles(dir, new Map()).map(({ name }) => name)).toEqual(["records.jsonl", "wav/0.bin"]);
  });

  it("takes a writer's description of its file instead of reading it", () => {
    const { dir } = committedShard();
    const described = { name: "records.jsonl", bytes: 8, crc32: "00000000", lines: 1 };
    expect(listFiles(dir, new Map([["records.jsonl", described]]))[0]).toBe(described);
  });

  it("gives size and digest of files larger than what is read at once", () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "large"), Buffer.alloc(1_000_001, 7));
    // Python: zlib.crc32(b"\x07" * 1_000_001)
    expect(describeFile(dir, "large")).toEqual({ name: "large", bytes: 1_000_001, crc32: "6f0e76da" });
  });
});
