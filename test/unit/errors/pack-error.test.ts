import { describe, expect, it } from "vitest";
import { MillraceError } from "../../../src/errors/errors.ts";
import { packError, unpackError } from "../../../src/errors/pack-error.ts";

/** From a worker to its driver, as a process sends it. */
function send(error: unknown): MillraceError {
  return unpackError(JSON.parse(JSON.stringify(packError(error, "WORKER_CRASHED"))));
}

describe("an error on its way from a worker", () => {
  it("keeps its code, message, hint and item", () => {
    const error = new MillraceError("ITEM_FAILED", "It failed.", { hint: "Fix it.", item: 0 });
    expect(send(error)).toMatchObject({ code: "ITEM_FAILED", message: error.message, hint: "Fix it.", item: 0 });
    expect(send(error)).toBeInstanceOf(MillraceError);
  });

  it("has no hint and no item where it had none", () => {
    const { hint, item, reason, cause } = send(new MillraceError("RUN_BUSY", "no"));
    expect({ hint, item, reason, cause }).toEqual({
      hint: undefined,
      item: undefined,
      reason: "no",
      cause: undefined,
    });
  });

  it("keeps its cause, with name, message and stack", () => {
    const cause = new TypeError("x is not a function");
    const sent = send(new MillraceError("ITEM_FAILED", "no", { cause })).cause as Error;
    expect(sent).toBeInstanceOf(Error);
    expect(sent).toMatchObject({ name: "TypeError", message: cause.message, stack: cause.stack });
  });

  it("keeps the code of its cause: a program may branch on it", () => {
    const cause = new MillraceError("ITEM_TIMEOUT", "It took too long.");
    expect(send(new MillraceError("ITEM_FAILED", "no", { cause })).cause).toMatchObject({ code: "ITEM_TIMEOUT" });
    const system = Object.assign(new Error("no such file"), { code: "ENOENT" });
    expect(send(new MillraceError("ITEM_FAILED", "no", { cause: system })).cause).toMatchObject({ code: "ENOENT" });
  });

  it.each([
    ["a string", "broken", "broken"],
    ["an object", { message: "broken", deep: {} }, "broken"],
    ["something that cannot be sent", { message: "broken", act() {} }, "broken"],
    ["null", null, "null"],
  ])("keeps the message of a cause that is %s", (_name, cause, message) => {
    expect(send(new MillraceError("ITEM_FAILED", "no", { cause })).cause).toMatchObject({ message });
  });

  it("gets the code given where it is not of this package, and is its own cause", () => {
    const error = new RangeError("out of range");
    expect(send(error)).toMatchObject({
      code: "WORKER_CRASHED",
      reason: "out of range",
      cause: { name: "RangeError", stack: error.stack },
    });
    expect(send("broken")).toMatchObject({ code: "WORKER_CRASHED", reason: "broken" });
    expect(send("broken").hint).toMatch(/millrace logs/);
  });

  it("can be sent on", () => {
    const error = new MillraceError("ENV_FAILED", "It failed.", { hint: "Fix it.", cause: new Error("why") });
    expect(packError(send(send(error)), "WORKER_CRASHED")).toEqual(packError(error, "WORKER_CRASHED"));
  });

  it("is cut where its texts are long, says how much is missing and keeps the frames of its stack", () => {
    const cause = new TypeError("x".repeat(10_000_000));
    const hint = "y".repeat(10_000_000);
    const packed = packError(new MillraceError("ITEM_FAILED", cause.message, { cause, hint }), "WORKER_CRASHED");
    expect(JSON.stringify(packed).length).toBeLessThan(4 * 65_600);
    expect(packed.message).toMatch(/^x{65536}\n\[9934464 bytes more were cut off\]$/);
    expect(packed.hint).toContain("bytes more were cut off");
    expect(packed.cause?.message).toContain("9934464 bytes more were cut off");
    expect(packed.cause?.stack).toMatch(
      /^TypeError: x+\n\[\d+ bytes more were cut off\]\n {4}at .*pack-error\.test\.ts/,
    );
    expect(unpackError(packed).hint).toBe(packed.hint);
  });

  it("is not cut where its texts are no longer than 64 kB", () => {
    const message = "ü".repeat(32_768);
    expect(packError(new MillraceError("ITEM_FAILED", message), "WORKER_CRASHED").message).toBe(message);
    expect(packError(`${message}x`, "WORKER_CRASHED").message).toBe(`${message}\n[1 bytes more were cut off]`);
  });
});
