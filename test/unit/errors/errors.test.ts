import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errnoOf, MillraceError, messageOf } from "../../../src/errors/errors.ts";

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("MillraceError", () => {
  it("says what and why, then what to do, then where to read more", () => {
    const error = new MillraceError("BAD_OPTION", "shards is 0.", { hint: "Use 1." });
    expect(error.message.split("\n")).toEqual(["shards is 0.", "  -> Use 1.", "  [npx millrace explain BAD_OPTION]"]);
    expect(error).toMatchObject({ reason: "shards is 0.", hint: "Use 1." });
  });

  it("says what and why, and where to read more, without a hint", () => {
    const error = new MillraceError("BAD_OPTION", "shards is 0.");
    expect(error.message).toBe("shards is 0.\n  [npx millrace explain BAD_OPTION]");
    expect(error).toMatchObject({ reason: "shards is 0.", hint: undefined });
  });

  it("carries its code, cause and item", () => {
    const cause = new Error("why");
    expect(new MillraceError("ITEM_FAILED", "no", { cause, item: 7 })).toMatchObject({
      code: "ITEM_FAILED",
      cause,
      item: 7,
    });
  });

  it("is an Error that bears its own name", () => {
    const error = new MillraceError("RUN_BUSY", "no");
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("MillraceError: no\n  [npx millrace explain RUN_BUSY]");
  });
});

describe("messageOf", () => {
  it.each<[string, unknown, string]>([
    ["an error", new Error("broken"), "broken"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["a string", "broken", "broken"],
    ["a number", 5, "5"],
    ["nothing", undefined, "undefined"],
    ["an object that says it itself", { toString: () => "broken" }, "broken"],
  ])("gives the text of %s", (_name, thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });

  it("leaves the page of an error out, so that it can stand within another message", () => {
    const error = new MillraceError("BAD_OPTION", "shards is 0.", { hint: "Use 1." });
    expect(messageOf(error)).toBe("shards is 0.\n  -> Use 1.");
  });

  it("gives the message of a plain object", () => {
    expect(messageOf({ message: "broken", code: 7 })).toContain("broken");
  });

  it("never throws itself", () => {
    expect(typeof messageOf(Object.create(null))).toBe("string");
  });
});

describe("errnoOf", () => {
  it("gives the name of a failed system call", () => {
    expect(errnoOf(thrownBy(() => readFileSync("/does/not/exist")))).toBe("ENOENT");
  });

  it.each<[string, unknown]>([
    ["an error of the language", new TypeError("x")],
    ["an error of Node.js that is no system call", thrownBy(() => readFileSync("a\0b"))],
    ["an error of this package", new MillraceError("STORE_IO", "x")],
    ["a string", "ENOENT"],
    ["an object that only looks like it", { code: "ENOENT", syscall: "open" }],
  ])("gives nothing for %s", (_name, error) => {
    expect(errnoOf(error)).toBeUndefined();
  });
});
