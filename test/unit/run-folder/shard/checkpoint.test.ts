import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { crc32, crcText } from "../../../../src/bytes/crc32.ts";
import {
  type Checkpoint,
  openCheckpointLog,
  readCheckpoints,
  restoreAttempt,
} from "../../../../src/run-folder/shard/checkpoint.ts";
import { listFiles, writeDone } from "../../../../src/run-folder/shard/done.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const slots = [".checkpoint.0", ".checkpoint.1"] as const;

function checkpointAt(sequence: number, files: Checkpoint["files"] = [], state = "{}"): Checkpoint {
  const counts = { written: sequence, dropped: 0, failed: 0 };
  return { sequence, position: sequence, counts, files, writers: {}, state };
}

function saveAll(dir: string, checkpoints: readonly Checkpoint[]): void {
  const log = openCheckpointLog(dir);
  for (const checkpoint of checkpoints) log.save(checkpoint);
  log.close();
}

/** The prefix of a text as a writer would name it. */
function prefixOf(name: string, text: string) {
  return { name, bytes: Buffer.byteLength(text), crc32: crcText(crc32(Buffer.from(text))) };
}

/** A fenced attempt: files with their text and the checkpoints it saved. */
function fencedAttempt(files: Readonly<Record<string, string>>, checkpoints: readonly Checkpoint[]): string {
  const dir = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  saveAll(dir, checkpoints);
  return dir;
}

describe("a checkpoint log", () => {
  it("gives its checkpoints back, newest first", () => {
    const dir = temporaryFolder();
    const saved = [checkpointAt(1, [], "x".repeat(500)), checkpointAt(2, [], "größe"), checkpointAt(3)];
    saveAll(dir, saved);
    expect(readCheckpoints(dir)).toEqual(saved.toReversed());
    expect(readdirSync(dir)).toEqual([slots[0]]);
  });

  it("stays small, and always has the newest one and some before it", () => {
    const dir = temporaryFolder();
    const log = openCheckpointLog(dir);
    for (let sequence = 1; sequence <= 3000; sequence++) {
      log.save(checkpointAt(sequence));
      if (sequence % 100 > 0) continue;
      const found = readCheckpoints(dir).map((checkpoint) => checkpoint.sequence);
      expect(found[0]).toBe(sequence);
      expect(found.length).toBeGreaterThanOrEqual(100);
    }
    log.close();
    for (const slot of slots) expect(statSync(join(dir, slot)).size).toBeLessThanOrEqual(1 << 16);
  });

  it("writes checkpoints that are larger than a file may become in turn", () => {
    const dir = temporaryFolder();
    const large = [1, 2, 3].map((sequence) => checkpointAt(sequence, [], "x".repeat(1 << 17)));
    saveAll(dir, large);
    expect(readCheckpoints(dir)).toEqual([large[2], large[1]]);
  });

  it("falls back to the one before where the newest is torn, wherever it is torn", () => {
    const dir = temporaryFolder();
    saveAll(dir, [checkpointAt(1)]);
    const first = statSync(join(dir, slots[0])).size;
    saveAll(dir, [checkpointAt(1), checkpointAt(2)]);
    for (let length = statSync(join(dir, slots[0])).size - 2; length >= first; length--) {
      truncateSync(join(dir, slots[0]), length);
      expect(readCheckpoints(dir), `cut after ${length} bytes`).toEqual([checkpointAt(1)]);
    }
  });

  it("falls back to the other file where a new one is torn at its first line", () => {
    const dir = temporaryFolder();
    const large = [1, 2].map((sequence) => checkpointAt(sequence, [], "x".repeat(1 << 16)));
    saveAll(dir, large);
    truncateSync(join(dir, slots[1]), 20);
    expect(readCheckpoints(dir)).toEqual([large[0]]);
  });

  it("reads what version 0.1.0 wrote: one checkpoint a file, the rest of a longer one behind it", () => {
    const [dir, elsewhere] = [temporaryFolder(), temporaryFolder()];
    saveAll(dir, [checkpointAt(2, [], "x".repeat(500))]);
    saveAll(elsewhere, [checkpointAt(3)]);
    const [longer, newer] = [dir, elsewhere].map((folder) => readFileSync(join(folder, slots[0]))) as [Buffer, Buffer];
    writeFileSync(join(dir, slots[0]), Buffer.concat([newer, longer.subarray(newer.length)]));
    expect(readCheckpoints(dir)).toEqual([checkpointAt(3)]);
  });

  it("finds none in a folder without checkpoints", () => {
    expect(readCheckpoints(temporaryFolder())).toEqual([]);
  });

  it("creates nothing before the first checkpoint, and leaves nothing when discarded", () => {
    const dir = temporaryFolder();
    const log = openCheckpointLog(dir);
    expect(readdirSync(dir)).toEqual([]);
    log.save(checkpointAt(1));
    log.save(checkpointAt(2));
    log.discard();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe("restoreAttempt", () => {
  it("copies only what the checkpoint counts", () => {
    const checkpoint = checkpointAt(1, [prefixOf("records.jsonl", "1\n2\n"), prefixOf("sub/text", "ä\n")]);
    const fenced = fencedAttempt({ "records.jsonl": "1\n2\n3\nhal", "sub/text": "ä\n", other: "x" }, [checkpoint]);
    const dir = temporaryFolder();
    expect(restoreAttempt(dir, [fenced])).toEqual({ kind: "checkpoint", checkpoint });
    expect(readdirSync(dir).sort()).toEqual(["records.jsonl", "sub"]);
    expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe("1\n2\n");
    expect(readFileSync(join(dir, "sub", "text"), "utf8")).toBe("ä\n");
  });

  it("leaves the fenced attempt as it was", () => {
    const fenced = fencedAttempt({ text: "1\n2\n" }, [checkpointAt(1, [prefixOf("text", "1\n")])]);
    restoreAttempt(temporaryFolder(), [fenced]);
    expect(readFileSync(join(fenced, "text"), "utf8")).toBe("1\n2\n");
  });

  it.each([
    ["has other bytes", "1\nX\n3\n"],
    ["is shorter than the checkpoint says", "1\n2"],
  ])("goes back to the older checkpoint where a prefix %s", (_name, text) => {
    const older = checkpointAt(1, [prefixOf("text", "1\n")]);
    const fenced = fencedAttempt({ text }, [older, checkpointAt(2, [prefixOf("text", "1\n2\n")])]);
    const dir = temporaryFolder();
    expect(restoreAttempt(dir, [fenced])).toEqual({ kind: "checkpoint", checkpoint: older });
    expect(readFileSync(join(dir, "text"), "utf8")).toBe("1\n");
  });

  it.each([
    ["has other bytes", { text: "1\n", more: "X\n" }],
    ["is not there", { text: "1\n" }],
  ])("restores nothing, and leaves no file, where no checkpoint is sound because a file %s", (_name, files) => {
    const fenced = fencedAttempt(files, [checkpointAt(1, [prefixOf("text", "1\n"), prefixOf("more", "2\n")])]);
    const dir = temporaryFolder();
    expect(restoreAttempt(dir, [fenced])).toEqual({ kind: "nothing" });
    expect(readdirSync(dir)).toEqual([]);
  });

  it("continues to an older attempt where the newer one left nothing sound", () => {
    const checkpoint = checkpointAt(5, [prefixOf("text", "old\n")]);
    const older = fencedAttempt({ text: "old\n" }, [checkpoint]);
    const newer = fencedAttempt({ text: "nex\n" }, [checkpointAt(6, [prefixOf("text", "new\n")])]);
    expect(restoreAttempt(temporaryFolder(), [newer, older])).toEqual({ kind: "checkpoint", checkpoint });
  });

  it("takes a complete attempt whole rather than its checkpoint", () => {
    const fenced = fencedAttempt({ text: "1\n2\n" }, [checkpointAt(1, [prefixOf("text", "1\n")])]);
    complete(fenced);
    const dir = temporaryFolder();
    expect(restoreAttempt(dir, [fenced])).toEqual({ kind: "complete" });
    expect(readFileSync(join(dir, "text"), "utf8")).toBe("1\n2\n");
    expect(readFileSync(join(dir, "done"), "utf8")).toBe(readFileSync(join(fenced, "done"), "utf8"));
  });

  it("takes the checkpoint of a complete attempt whose bytes have changed since", () => {
    const checkpoint = checkpointAt(1, [prefixOf("text", "1\n")]);
    const fenced = fencedAttempt({ text: "1\n2\n" }, [checkpoint]);
    complete(fenced);
    writeFileSync(join(fenced, "text"), "1\nX\n");
    const dir = temporaryFolder();
    expect(restoreAttempt(dir, [fenced])).toEqual({ kind: "checkpoint", checkpoint });
    expect(existsSync(join(dir, "done"))).toBe(false);
  });

  it("restores nothing where there is no earlier attempt", () => {
    expect(restoreAttempt(temporaryFolder(), [])).toEqual({ kind: "nothing" });
  });
});

function complete(dir: string): void {
  const counts = { items: 2, written: 2, dropped: 0, failed: 0 };
  writeDone(dir, { version: 1, shard: 0, attempt: 1, worker: "w", counts, files: listFiles(dir, new Map()) });
}
