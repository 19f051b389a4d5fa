import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { concatenateShardFiles } from "../../../src/merge/concatenate-shard-files.ts";
import { describeFile, writeDone } from "../../../src/run-folder/shard/done.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Committed shards, each with the given text, or without that file. */
function shardsOf(root: string, texts: readonly (string | undefined)[], name = "text"): string[] {
  return texts.map((text, shard) => {
    const dir = join(root, `split.${shard}`);
    mkdirSync(join(dir, name, ".."), { recursive: true });
    if (text !== undefined) writeFileSync(join(dir, name), text);
    const files = text === undefined ? [] : [{ ...describeFile(dir, name), lines: text.split("\n").length - 1 }];
    const counts = { items: 1, written: 1, dropped: 0, failed: 0 };
    writeDone(dir, { version: 1, shard, attempt: 1, worker: "w", counts, files });
    return dir;
  });
}

describe("concatenateShardFiles", () => {
  it("puts the shards behind each other in the given order", () => {
    const root = temporaryFolder();
    const shards = shardsOf(root, ["0\n", "1\n", "2\n"]);
    concatenateShardFiles([shards[2]!, shards[0]!, shards[1]!], "text", join(root, "text"));
    expect(readFileSync(join(root, "text"), "utf8")).toBe("2\n0\n1\n");
  });

  it("describes the whole file without reading it again", () => {
    const root = temporaryFolder();
    const shards = shardsOf(root, ["größe\na\n", "", "x".repeat(3_000_000), "b\n"]);
    const file = concatenateShardFiles(shards, "text", join(root, "text"));
    expect(file).toEqual({ ...describeFile(root, "text"), lines: 3 });
  });

  it("passes over shards that do not have the file", () => {
    const root = temporaryFolder();
    concatenateShardFiles(shardsOf(root, ["0\n", undefined, "2\n"]), "text", join(root, "text"));
    expect(readFileSync(join(root, "text"), "utf8")).toBe("0\n2\n");
  });

  it("makes an empty file from no shards", () => {
    const root = temporaryFolder();
    expect(concatenateShardFiles([], "text", join(root, "text"))).toMatchObject({ bytes: 0, crc32: "00000000" });
    expect(readFileSync(join(root, "text"), "utf8")).toBe("");
  });

  it("names the file whose bytes are not those that were committed", () => {
    const root = temporaryFolder();
    const shards = shardsOf(root, ["0\n", "1\n"]);
    writeFileSync(join(shards[1]!, "text"), "X\n");
    const act = () => concatenateShardFiles(shards, "text", join(root, "text"));
    expect(act).toThrow(expect.objectContaining({ code: "SHARD_DAMAGED" }));
    expect(act).toThrow(join(shards[1]!, "text"));
  });

  it("names the shard that is not complete", () => {
    const root = temporaryFolder();
    const shards = shardsOf(root, ["0\n", "1\n"]);
    rmSync(join(shards[1]!, "done"));
    expect(() => concatenateShardFiles(shards, "text", join(root, "text"))).toThrow(join(shards[1]!, "done"));
  });

  it("leaves the old target as it was, and nothing beside it, on an error", () => {
    const root = temporaryFolder();
    const shards = shardsOf(root, ["0\n", "1\n"]);
    writeFileSync(join(root, "text"), "old\n");
    writeFileSync(join(shards[1]!, "text"), "X\n");
    expect(() => concatenateShardFiles(shards, "text", join(root, "text"))).toThrow();
    expect(readFileSync(join(root, "text"), "utf8")).toBe("old\n");
    expect(readdirSync(root).sort()).toEqual(["split.0", "split.1", "text"]);
  });

  it("replaces an old target", () => {
    const root = temporaryFolder();
    writeFileSync(join(root, "text"), "old and longer\n");
    concatenateShardFiles(shardsOf(root, ["0\n"]), "text", join(root, "text"));
    expect(readFileSync(join(root, "text"), "utf8")).toBe("0\n");
  });

  it("makes the folder of its target, as a line writer does", () => {
    const root = temporaryFolder();
    concatenateShardFiles(shardsOf(root, ["0\n"], "sub/text"), "sub/text", join(root, "sub", "text"));
    expect(existsSync(join(root, "sub", "text"))).toBe(true);
  });
});
