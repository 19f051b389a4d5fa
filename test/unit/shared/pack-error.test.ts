import { describe, expect, it } from "vitest";
import { MillraceError } from "../../../src/shared/errors.ts";
import { packError, unpackError } from "../../../src/shared/pack-error.ts";

/** From a worker to its driver, as a process sends it. */
function send(error: unknown): MillraceError {
  return unpackError(JSON.parse(JSON.stringify(packError(error, "WORKER_CRASHED"))));
}

describe("an error on its way from a worker", () => {
  it("keeps its code, message, hint and item", () => {
    const error = new MillraceError("ITEM_FAILED", "It failed.", { hint: "Mend it.", item: 0 });
    expect(send(error)).toMatchObject({ code: "ITEM_FAILED", message: error.message, hint: "Mend it.", item: 0 });
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
    const error = new MillraceError("ENV_FAILED", "It failed.", { hint: "Mend it.", cause: new Error("why") });
    expect(packError(send(send(error)), "WORKER_CRASHED")).toEqual(packError(error, "WORKER_CRASHED"));
  });
});
