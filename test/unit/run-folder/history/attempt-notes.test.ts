import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeExit,
  noteExit,
  noteRelease,
  noteStuck,
  openItemNotes,
  readAttemptEnd,
  type WorkerExit,
} from "../../../../src/run-folder/history/attempt-notes.ts";
import { isMachinery, itemNoteName, releasedNoteName } from "../../../../src/run-folder/shard/shard-file-names.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const nothing = { isReleased: false, item: undefined, exit: undefined };

describe("the notes of an attempt", () => {
  it("hold nothing where nothing was noted, or the folder is gone", () => {
    expect(readAttemptEnd(temporaryFolder())).toEqual(nothing);
    expect(readAttemptEnd(join(temporaryFolder(), "gone"))).toEqual(nothing);
  });

  it("hold the item that ran last", () => {
    const dir = temporaryFolder();
    const notes = openItemNotes(dir);
    for (const position of [123_456_789, 7, 40]) notes.note(position, 1, 0);
    expect(readAttemptEnd(dir).item).toMatchObject({ position: 40, count: 1, stuckMs: undefined });
  });

  it("hold when the item began, and the memory its worker held then", () => {
    const dir = temporaryFolder();
    const before = Date.now();
    openItemNotes(dir).note(7, 1, 123_456_789);
    const { beganMs, rss } = readAttemptEnd(dir).item!;
    expect(beganMs).toBeGreaterThanOrEqual(before);
    expect(beganMs).toBeLessThanOrEqual(Date.now());
    expect(rss).toBe(123_456_789);
  });

  it("are read as an earlier version wrote them", () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, itemNoteName), "4 8\n".padEnd(48));
    expect(readAttemptEnd(dir).item).toEqual({ position: 4, count: 8 });
  });

  it("hold how many items the call had, up to the largest numbers there are", () => {
    const dir = temporaryFolder();
    openItemNotes(dir).note(Number.MAX_SAFE_INTEGER, 2 ** 31, 0);
    expect(readAttemptEnd(dir).item).toMatchObject({ position: Number.MAX_SAFE_INTEGER, count: 2 ** 31 });
  });

  it("hold no item between two of them", () => {
    const dir = temporaryFolder();
    const notes = openItemNotes(dir);
    expect(readAttemptEnd(dir).item).toBeUndefined();
    notes.note(12, 1, 0);
    notes.clear();
    expect(readAttemptEnd(dir).item).toBeUndefined();
  });

  it("continue in a folder that was moved away meanwhile", () => {
    const dir = join(temporaryFolder(), "5.1");
    mkdirSync(dir);
    const notes = openItemNotes(dir);
    renameSync(dir, `${dir}.fenced`);
    notes.note(3, 1, 0);
    expect(readAttemptEnd(`${dir}.fenced`).item).toMatchObject({ position: 3 });
  });

  it("are gone once they are discarded, and later ones make nothing new", () => {
    const dir = temporaryFolder();
    const notes = openItemNotes(dir);
    notes.note(3, 1, 0);
    notes.discard();
    notes.note(4, 1, 0);
    notes.clear();
    notes.discard();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("hold a call that used up its time, whatever was noted before", () => {
    const dir = temporaryFolder();
    openItemNotes(dir).note(123_456_789, 1, 0);
    noteStuck(dir, { position: 4, count: 8, stuckMs: 2400.5 });
    expect(readAttemptEnd(dir).item).toEqual({ position: 4, count: 8, stuckMs: 2400.5 });
  });

  it("hold how the worker ended", () => {
    const dir = temporaryFolder();
    expect(noteExit(dir, { signal: "SIGSEGV", code: undefined, message: "a\nb" }, { root: dir })).toBe(true);
    expect(readAttemptEnd(dir).exit).toEqual({ signal: "SIGSEGV", message: "a\nb" });
  });

  it("say so where the folder is not there to be noted in", () => {
    expect(noteExit(join(temporaryFolder(), "gone"), { code: 1 }, { root: tmpdir() })).toBe(false);
  });

  it("hold that the attempt was released, and why", () => {
    const dir = temporaryFolder();
    noteRelease(dir, "Item 3 failed: no\n  -> Look at it.");
    expect(readAttemptEnd(dir)).toEqual({ ...nothing, isReleased: true, releasedBecause: "Item 3 failed: no" });
    writeFileSync(join(dir, releasedNoteName), "");
    expect(readAttemptEnd(dir)).toEqual({ ...nothing, isReleased: true });
  });

  it.each(["", " ", "7", "x y\n", "-1 0\n", "7 0\n", "\0\0\0"])("hold no item where they are torn: %j", (text) => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, itemNoteName), text);
    expect(readAttemptEnd(dir).item).toBeUndefined();
  });

  it("hold no exit where they are torn", () => {
    const dir = temporaryFolder();
    noteExit(dir, { code: 1 }, { root: dir });
    writeFileSync(join(dir, readdirSync(dir)[0]!), '{"code":');
    expect(readAttemptEnd(dir).exit).toBeUndefined();
  });

  it("are no output", () => {
    const dir = temporaryFolder();
    openItemNotes(dir);
    noteExit(dir, { code: 1 }, { root: dir });
    noteRelease(dir, "it was asked to stop");
    expect(readdirSync(dir).filter((name) => !isMachinery(name))).toEqual([]);
    expect(readdirSync(dir)).toHaveLength(3);
  });
});

describe("describeExit", () => {
  it.each<[WorkerExit | undefined, string]>([
    [undefined, "vanished"],
    [{ signal: "SIGSEGV" }, "was ended by SIGSEGV"],
    [{ code: 0 }, "exited with code 0"],
    [{ code: 1, message: "Error: no" }, "exited with code 1 (Error: no)"],
    [{}, "vanished"],
  ])("says it in words: %o", (exit, words) => {
    expect(describeExit(exit)).toBe(words);
  });
});
