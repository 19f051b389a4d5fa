import { linkSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listLogs, readLog } from "../../../src/dashboard/view/log-files.ts";
import { makeRun } from "../../support/made-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function runWithLog(text: string) {
  const folder = temporaryFolder();
  const paths = makeRun(join(folder, "run"), 1);
  writeFileSync(paths.log("w"), text);
  return { folder, paths };
}

describe("logs", () => {
  it("are listed with their sizes and read piece by piece", () => {
    const { paths } = runWithLog("one two three");
    expect(listLogs(paths)).toEqual([{ name: "w.log", bytes: 13 }]);
    expect(readLog(paths, "w.log", 0, 7)).toEqual({ text: "one two", from: 0, next: 7, bytes: 13 });
    expect(readLog(paths, "w.log", 7, 7)).toEqual({ text: " three", from: 7, next: 13, bytes: 13 });
    expect(readLog(paths, "w.log", 13)).toEqual({ text: "", from: 13, next: 13, bytes: 13 });
    expect(readLog(paths, "w.log", -5)).toMatchObject({ text: "three", from: 8 });
    expect(readLog(paths, "w.log", 99)).toMatchObject({ text: "", from: 13 });
  });

  it("are never cut within a character", () => {
    const text = "aä€😀".repeat(7);
    const { paths } = runWithLog(text);
    for (let most = 4; most < 12; most++) {
      let read = "";
      for (let from = 0; ; ) {
        const piece = readLog(paths, "w.log", from, most)!;
        read += piece.text;
        if (piece.next === piece.bytes) break;
        expect(piece.next).toBeGreaterThan(from);
        from = piece.next;
      }
      expect(read).toBe(text);
    }
    expect(readLog(paths, "w.log", -3)!.text).not.toContain("\ufffd");
  });

  it("are read on, whatever bytes they hold", () => {
    const { paths } = runWithLog("");
    writeFileSync(paths.log("w"), Buffer.alloc(10, 0xff));
    let from = 0;
    for (let i = 0; i < 20 && from < 10; i++) from = readLog(paths, "w.log", from, 4)!.next;
    expect(from).toBe(10);
  });

  it.each(["../spec.json", "..", ".", "", "/etc/passwd", "w.log\0", "W.LOG"])("has none of the name %j", (name) => {
    const { paths } = runWithLog("x");
    expect(readLog(paths, name, 0)).toBeUndefined();
  });

  it("leave out links, and a folder that is one", () => {
    const { folder, paths } = runWithLog("x");
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), join(paths.logs, "link.log"));
    expect(listLogs(paths).map(({ name }) => name)).toEqual(["w.log"]);
    expect(readLog(paths, "link.log", 0)).toBeUndefined();
    renameSync(paths.logs, join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), paths.logs);
    expect(listLogs(paths)).toEqual([]);
    expect(readLog(paths, "w.log", 0)).toBeUndefined();
  });

  it("leave out a second name of another file", () => {
    const { folder, paths } = runWithLog("x");
    writeFileSync(join(folder, "secret"), "secret");
    linkSync(join(folder, "secret"), join(paths.logs, "second.log"));
    expect(listLogs(paths).map(({ name }) => name)).toEqual(["w.log"]);
    expect(readLog(paths, "second.log", 0)).toBeUndefined();
  });

  it("leave out what is no plain file", () => {
    const { paths } = runWithLog("x");
    mkdirSync(join(paths.logs, "folder.log"));
    expect(listLogs(paths).map(({ name }) => name)).toEqual(["w.log"]);
    expect(readLog(paths, "folder.log", 0)).toBeUndefined();
  });

  it("leave out a file of a terabyte that is a hole", () => {
    const { paths } = runWithLog("x");
    writeFileSync(join(paths.logs, "hole.log"), "{");
    truncateSync(join(paths.logs, "hole.log"), 2 ** 40);
    expect(listLogs(paths).map(({ name }) => name)).toEqual(["w.log"]);
    expect(readLog(paths, "hole.log", 0)).toBeUndefined();
  });
});
