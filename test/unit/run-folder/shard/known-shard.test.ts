import { describe, expect, it } from "vitest";
import type { Done } from "../../../../src/run-folder/shard/done.ts";
import { knownShard } from "../../../../src/run-folder/shard/known-shard.ts";

const done = (crcs: readonly string[]): Done => ({
  version: 1,
  shard: 3,
  attempt: 2,
  worker: "w",
  counts: { items: 4, written: 4, dropped: 0, failed: 0 },
  files: crcs.map((crc32, i) => ({ name: `file-${i}`, bytes: 1, crc32 })),
});

describe("knownShard", () => {
  it("keeps a short list of files", () => {
    const shard = done(["00000001", "00000002"]);
    expect(knownShard(shard)).toMatchObject({ shard: 3, attempt: 2, counts: shard.counts, files: shard.files });
  });

  it("keeps no long list of files", () => {
    expect(knownShard(done(Array.from({ length: 100 }, () => "00000001"))).files).toBeUndefined();
  });

  it("has another key whenever a file is another one", () => {
    const long = Array.from({ length: 100 }, () => "00000001");
    const keys = [long, long.with(57, "00000002"), long.slice(1), []].map((crcs) => knownShard(done(crcs)).filesKey);
    expect(new Set(keys).size).toBe(4);
  });
});
