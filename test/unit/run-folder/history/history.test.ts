import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type RunPaths, runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import {
  type AttemptRecord,
  openHistory,
  parseAttempt,
  shortReason,
} from "../../../../src/run-folder/history/history.ts";
import { openHistoryTail } from "../../../../src/run-folder/history/read-history.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const record: AttemptRecord = {
  unit: 3,
  attempt: 1,
  worker: "w",
  host: 'a "host"',
  began: 1000,
  ended: 5000,
  outcome: "committed",
  items: 10,
  failed: 1,
  counts: { items: 12, written: 10, dropped: 1, failed: 1 },
};

async function readAll(paths: RunPaths): Promise<AttemptRecord[]> {
  const found: AttemptRecord[] = [];
  await openHistoryTail(paths).read(
    (one) => found.push(one),
    () => false,
    async () => {},
  );
  return found;
}

describe("the history of a worker", () => {
  it("makes no file before an attempt has ended", () => {
    const paths = runPaths(temporaryFolder());
    openHistory(paths, "w").close();
    expect(existsSync(paths.historyFolder)).toBe(false);
  });

  it("is read back as it was written, whatever the names are", async () => {
    const paths = runPaths(temporaryFolder());
    const history = openHistory(paths, "w");
    const lost = { ...record, unit: "merge", outcome: "lost", reason: "it\tvanished", counts: undefined } as const;
    history.add(record);
    history.add(lost);
    history.close();
    expect(await readAll(paths)).toEqual([record, lost]);
  });

  it("writes a long attempt down at once, and quick ones together", () => {
    const paths = runPaths(temporaryFolder());
    const history = openHistory(paths, "w");
    const lines = () => readFileSync(paths.history("w"), "utf8").split("\n").length - 1;
    history.add(record);
    expect(lines()).toBe(1);
    for (let i = 1; i < 5; i++) history.add({ ...record, began: 5000 + i, ended: 5001 + i });
    expect(lines()).toBe(1);
    history.add({ ...record, began: 5020, ended: 5030 });
    expect(lines()).toBe(6);
    history.add({ ...record, began: 5031, ended: 5032 });
    history.flush();
    expect(lines()).toBe(7);
    history.close();
  });

  it("continues after a torn line, which alone is not read", async () => {
    const paths = runPaths(temporaryFolder());
    const first = openHistory(paths, "w");
    first.add(record);
    first.close();
    appendFileSync(paths.history("w"), '{"unit":4,"attem');
    const second = openHistory(paths, "w");
    second.add({ ...record, unit: 5 });
    second.close();
    expect((await readAll(paths)).map(({ unit }) => unit)).toEqual([3, 5]);
  });

  it("never fails, wherever it cannot be written", () => {
    const paths = runPaths(temporaryFolder());
    writeFileSync(paths.machinery, "a file where the folder should be");
    const history = openHistory(paths, "w");
    expect(() => {
      history.add(record);
      history.add(record);
      history.close();
    }).not.toThrow();
  });

  it("keeps the first line of a reason, cut where it is long", () => {
    expect(shortReason("no\n  -> hint")).toBe("no");
    expect(shortReason("x".repeat(1000))).toHaveLength(501);
  });

  it.each(["", "null", "7", '{"unit":"other"}', '{"unit":1,"attempt":1}'])("takes %j for no attempt", (line) => {
    expect(parseAttempt(line)).toBeUndefined();
  });
});

describe("the tail of all histories", () => {
  it("passes each line once, as the files grow and come", async () => {
    const paths = runPaths(temporaryFolder());
    const tail = openHistoryTail(paths);
    const read = async () => {
      const found: AttemptRecord[] = [];
      await tail.read(
        (one) => found.push(one),
        () => true,
        async () => {},
      );
      return found.map(({ unit }) => unit);
    };
    expect(await read()).toEqual([]);
    const one = openHistory(paths, "one");
    one.add({ ...record, unit: 1 });
    expect(await read()).toEqual([1]);
    expect(await read()).toEqual([]);
    one.add({ ...record, unit: 2, ended: 9000 });
    one.close();
    expect(await read()).toEqual([2]);
    // Half of a line is passed on when it is whole.
    appendFileSync(paths.history("one"), JSON.stringify({ ...record, unit: 4 }).slice(0, 20));
    expect(await read()).toEqual([]);
    appendFileSync(paths.history("one"), `${JSON.stringify({ ...record, unit: 4 }).slice(20)}\n`);
    expect(await read()).toEqual([4]);
  });

  it("finds a long history whole, in pieces", async () => {
    const paths = runPaths(temporaryFolder());
    const history = openHistory(paths, "w");
    for (let unit = 0; unit < 5000; unit++) history.add({ ...record, unit });
    history.close();
    expect((await readAll(paths)).map(({ unit }) => unit)).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  });
});
