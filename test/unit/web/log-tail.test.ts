import { describe, expect, it } from "vitest";
import { firstLogBytes, growLog, logStart, maxLogCharacters } from "../../../web/dashboard/model/log-tail.ts";

const piece = (text: string, from: number) => ({ text, from, next: from + text.length, bytes: from + text.length });

describe("growLog", () => {
  it("begins with whole lines where it does not begin at the beginning", () => {
    expect(growLog(undefined, piece("lf a line\nnext\n", 50))).toEqual({ text: "next\n", isCut: true, next: 65 });
    expect(growLog(undefined, piece("first\n", 0))).toEqual({ text: "first\n", isCut: false, next: 6 });
  });

  it("puts pieces together", () => {
    const tail = growLog(growLog(undefined, piece("a", 0)), piece("b\n", 1));
    expect(tail).toEqual({ text: "ab\n", isCut: false, next: 3 });
  });

  it("begins again with a log that was emptied", () => {
    expect(growLog(growLog(undefined, piece("long ago\n", 0)), piece("new\n", 0)).text).toBe("new\n");
  });

  it("drops the oldest lines of a log without end", () => {
    const line = `${"x".repeat(99)}\n`;
    const tail = growLog(growLog(undefined, piece(line, 0)), piece(line.repeat(maxLogCharacters / 100), 100));
    expect(tail.isCut).toBe(true);
    expect(tail.text.length).toBeLessThanOrEqual(maxLogCharacters);
    expect(tail.text.startsWith("x".repeat(99))).toBe(true);
  });
});

describe("logStart", () => {
  it("is the beginning of a short log, and near the end of a long one", () => {
    expect([logStart(10), logStart(firstLogBytes + 7)]).toEqual([0, 7]);
  });
});
