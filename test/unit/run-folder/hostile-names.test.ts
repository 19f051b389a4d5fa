import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { crc32, crcText } from "../../../src/bytes/crc32.ts";
import { openShardMap } from "../../../src/dashboard/view/shard-map.ts";
import { startOver } from "../../../src/driver/start-over.ts";
import { mergeLineFiles } from "../../../src/merge/merge-lines.ts";
import { readManifest } from "../../../src/run-folder/run/manifest.ts";
import { readMerged } from "../../../src/run-folder/run/merged.ts";
import { runStatus } from "../../../src/run-folder/run/run-status.ts";
import { verifyRun } from "../../../src/run-folder/run/verify-run.ts";
import { restoreAttempt } from "../../../src/run-folder/shard/checkpoint.ts";
import { inspectShard, writeDone } from "../../../src/run-folder/shard/done.ts";
import { readShardState } from "../../../src/run-folder/shard/shard-state.ts";
import { commitByHand, makeRun } from "../../support/made-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A run with a folder beside it that is none of its business. */
function besidePrecious() {
  const top = temporaryFolder();
  const precious = join(top, "precious");
  mkdirSync(precious);
  writeFileSync(join(precious, "thesis.tex"), "the only copy\n");
  const paths = makeRun(join(top, "exp", "run"), 1);
  return { paths, precious, thesis: join(precious, "thesis.tex") };
}

const file = (name: string) => ({ name, bytes: 14, crc32: crcText(crc32(Buffer.from("the only copy\n"))), lines: 1 });
const counts = { items: 10, written: 10, dropped: 0, failed: 0 };

describe("a name in merged.json that leads out of the run", () => {
  const name = "../../precious";

  it("is not removed when the run is started over", () => {
    const { paths, thesis } = besidePrecious();
    writeFileSync(paths.merged, JSON.stringify({ version: 1, key: "x", files: [file(name)] }));
    startOver(paths);
    expect(readFileSync(thesis, "utf8")).toBe("the only copy\n");
    expect(existsSync(paths.manifest)).toBe(false);
  });

  it("is damage to verify, not content", () => {
    const { paths } = besidePrecious();
    writeFileSync(paths.merged, JSON.stringify({ version: 1, key: "x", files: [file(`${name}/thesis.tex`)] }));
    expect(verifyRun(paths.root)).toMatchObject({ merged: 0, damaged: [{ merged: "merged.json" }] });
    expect(readMerged(paths)).toBeUndefined();
  });

  it.each(["manifest.json", ".millrace/spec.json", "split.0/done", "/etc/passwd", "a//b", "./a", ""])(
    "no more than %j is",
    (other) => {
      const { paths } = besidePrecious();
      writeFileSync(paths.merged, JSON.stringify({ version: 1, key: "x", files: [file(other)] }));
      expect(readMerged(paths)).toBeUndefined();
    },
  );
});

describe("a name in done that leads out of the run", () => {
  it("is damage, and nothing is merged under it", () => {
    const { paths, thesis } = besidePrecious();
    const shard = paths.shard(0);
    mkdirSync(shard);
    const files = [file("../../../precious/thesis.tex")];
    writeDone(shard, { version: 1, shard: 0, attempt: 1, worker: "w", counts, files });
    expect(inspectShard(shard)).toMatchObject({ state: "damaged" });
    expect(verifyRun(paths.root).damaged).toHaveLength(1);
    expect(() => mergeLineFiles(paths.root, [shard])).toThrow(expect.objectContaining({ code: "SHARD_DAMAGED" }));
    expect(readFileSync(thesis, "utf8")).toBe("the only copy\n");
  });

  it("nor is anything written behind a link in the run folder", () => {
    const { paths, precious } = besidePrecious();
    symlinkSync(precious, join(paths.root, "sub"));
    const shard = paths.shard(0);
    mkdirSync(join(shard, "sub"), { recursive: true });
    writeFileSync(join(shard, "sub", "thesis.tex"), "the only copy\n");
    writeDone(shard, { version: 1, shard: 0, attempt: 1, worker: "w", counts, files: [file("sub/thesis.tex")] });
    expect(() => mergeLineFiles(paths.root, [shard])).toThrow(expect.objectContaining({ code: "RUN_DAMAGED" }));
  });

  it("is not copied out of an old attempt", () => {
    const { paths, thesis } = besidePrecious();
    const [attempt, fenced] = [paths.attempt(0, 2), paths.fenced(0, 1)];
    for (const folder of [attempt, fenced]) mkdirSync(folder, { recursive: true });
    const checkpoint = {
      sequence: 1,
      position: 1,
      counts: { dropped: 0, failed: 0 },
      files: [{ name: "../../../../../precious/thesis.tex", bytes: 0 }],
      writers: {},
      state: "{}",
    };
    const json = JSON.stringify(checkpoint);
    writeFileSync(join(fenced, ".checkpoint.0"), `${crcText(crc32(Buffer.from(json)))} ${json}\n`);
    expect(restoreAttempt(attempt, [fenced])).toEqual({ kind: "nothing" });
    expect(readFileSync(thesis, "utf8")).toBe("the only copy\n");
  });
});

it("the done of another shard does not make a shard complete", async () => {
  const { paths } = besidePrecious();
  commitByHand(paths, 0);
  const done = JSON.parse(readFileSync(paths.done(0), "utf8")) as object;
  for (const shard of [7, "../../../precious", null]) {
    writeFileSync(paths.done(0), JSON.stringify({ ...done, shard }));
    expect((await runStatus(paths.root)).shards).toEqual({ total: 1, committed: 0, damaged: 1 });
  }
});

it("a shard beyond the plan does not count", async () => {
  const { paths } = besidePrecious();
  commitByHand(paths, 5);
  expect((await runStatus(paths.root)).shards).toEqual({ total: 1, committed: 0, damaged: 0 });
});

it("the state of a shard does not say where the shard is", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "state.json"), '{"shardDir":"/precious","writers":{},"sum":3}');
  expect(readShardState(folder)).toEqual({ sum: 3 });
});

describe("the numbers of a manifest", () => {
  it.each([
    ["shards", { shards: { count: 1e9, bounds: [[0, 10, 2]] } }, /1000000000 shards, more than a folder can hold/],
    ["shards and their ends", { shards: { count: 1e9, bounds: [[0, 1, 1e9 + 1]] } }, /more than a folder can hold/],
    ["ends that are missing", { shards: { count: 3, bounds: [[0, 10, 2]] } }, /3 shards and the ends of 1/],
    ["ends that are none", { shards: { count: 1, bounds: 5 } }, /not segments/],
    [
      "ends that go back",
      {
        shards: {
          count: 1,
          bounds: [
            [10, 1, 1],
            [0, 1, 1],
          ],
        },
      },
      /not in order/,
    ],
    ["shards that end early", { shards: { count: 1, bounds: [[0, 5, 2]] } }, /end at item 5 of 10/],
    ["items", { items: { count: 1e9, segments: [[0, 1, 10]] } }, /hold 10 items, not 1000000000/],
    ["no number", { items: { count: "NaN", segments: [] } }, /number of its items is not a count/],
    ["no shards", { shards: null }, /missing/],
  ])("must agree with each other: %s", (_what, change, message) => {
    const { paths } = besidePrecious();
    const manifest = JSON.parse(readFileSync(paths.manifest, "utf8")) as object;
    writeFileSync(paths.manifest, JSON.stringify({ ...manifest, ...change }));
    expect(() => readManifest(paths)).toThrow(message);
  });

  it("take no memory in the map of a run", () => {
    const before = process.memoryUsage().rss;
    const maps = Array.from({ length: 50 }, () => openShardMap(1 << 24));
    for (const map of maps) map.commit(16_000_000, 1, { items: 1, written: 1, dropped: 0, failed: 1 });
    expect(maps[0]!.failures()).toEqual([[16_000_000, 1]]);
    expect(maps[0]!.sums).toMatchObject({ committed: 1, done: 1, failed: 1 });
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });
});
