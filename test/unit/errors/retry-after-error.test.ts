import { describe, expect, it } from "vitest";
import { ItemError, isItemError } from "../../../src/errors/item-error.ts";
import { RetryAfterError, refusalOf } from "../../../src/errors/retry-after-error.ts";

const answer = (headers: Record<string, string>, status = 429) => new Response("", { status, headers });

describe("RetryAfterError", () => {
  it.each([
    ["0", 0],
    ["7", 7000],
    [" 120 ", 120_000],
    ["1.5", 1500],
    ["999999999", 999_999_999_000],
  ])("reads %j as seconds", (text, ms) => {
    expect(new RetryAfterError("busy", { response: answer({ "retry-after": text }) }).retryAfterMs).toBe(ms);
  });

  it("reads a date relative to the date of the answer, not to the clock of this host", () => {
    const response = answer({
      "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT",
      date: "Wed, 21 Oct 2015 07:28:00 GMT",
    });
    expect(new RetryAfterError("busy", { response })).toMatchObject({ retryAfterMs: 30_000, status: 429 });
  });

  it("waits for no time that has passed", () => {
    const response = answer({ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 503);
    expect(new RetryAfterError("busy", { response })).toMatchObject({ retryAfterMs: 0, status: 503 });
  });

  it("reads a date relative to this host's clock where the answer has no date", () => {
    const response = answer({ "retry-after": new Date(Date.now() + 3_600_000).toUTCString() });
    const { retryAfterMs } = new RetryAfterError("busy", { response });
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  it.each(["", "soon", "-1", "1e9", "0x10", "9999999999", "2015-10-21", "Wed, 21 Foo 2015 07:28:00 GMT"])(
    "has no pause for %j",
    (text) => {
      expect(new RetryAfterError("busy", { response: answer({ "retry-after": text }) }).retryAfterMs).toBeUndefined();
    },
  );

  it("takes the pause and the status as numbers too", () => {
    const cause = new Error("socket");
    const error = new RetryAfterError("busy", { retryAfterMs: 250, status: 503, cause });
    expect(error).toMatchObject({ name: "RetryAfterError", message: "busy", retryAfterMs: 250, status: 503, cause });
    expect(error).toBeInstanceOf(Error);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("does not take %s as a pause", (retryAfterMs) => {
    expect(new RetryAfterError("busy", { retryAfterMs }).retryAfterMs).toBeUndefined();
  });

  it("prefers a pause that is given to that of the header", () => {
    const response = answer({ "retry-after": "60" });
    expect(new RetryAfterError("busy", { response, retryAfterMs: 5 }).retryAfterMs).toBe(5);
  });
});

describe("refusalOf", () => {
  it("reads status and pause of any error", () => {
    expect(refusalOf(new RetryAfterError("busy", { retryAfterMs: 5, status: 429 }))).toEqual({
      status: 429,
      retryAfterMs: 5,
    });
    expect(refusalOf(Object.assign(new Error("of a client library"), { status: 503 }))).toEqual({ status: 503 });
  });

  it.each([undefined, null, "text", 7, new Error("plain"), { status: "429", retryAfterMs: "5" }, { retryAfterMs: -1 }])(
    "finds nothing in %j",
    (error) => {
      expect(refusalOf(error)).toEqual({});
    },
  );
});

describe("ItemError", () => {
  it("is recognised by its name, also where another copy of the package made it", () => {
    const foreign = Object.assign(new Error("bad"), { name: "ItemError" });
    expect(isItemError(new ItemError("bad", { cause: foreign }))).toBe(true);
    expect(isItemError(foreign)).toBe(true);
    expect(isItemError(new Error("bad"))).toBe(false);
    expect(isItemError({ name: "ItemError", message: "bad" })).toBe(false);
  });
});
