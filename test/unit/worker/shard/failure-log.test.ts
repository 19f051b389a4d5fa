import { describe, expect, it } from "vitest";
import { describeError, tooManyFailures } from "../../../../src/worker/shard/failure-log.ts";

describe("describeError", () => {
  it("keeps at most 64 kB of a message and of a stack, and the frames of it", () => {
    const { error, stack } = describeError(new RangeError("x".repeat(10_000_000)));
    expect(error.name).toBe("RangeError");
    expect(error.message).toMatch(/^x{65536}\n\[9934464 bytes more were cut off\]$/);
    expect(stack!.length).toBeLessThan(65_600);
    expect(stack).toMatch(/cut off\]\n {4}at .*failure-log\.test\.ts/);
  });

  it("cuts what is not an error, and names and codes that are too long", () => {
    expect(describeError("x".repeat(10_000_000)).error.message.length).toBeLessThan(65_600);
    const odd = Object.assign(new Error("no"), { name: "n".repeat(10_000_000), code: "c".repeat(10_000_000) });
    expect(JSON.stringify(describeError(odd)).length).toBeLessThan(4 * 65_600);
  });

  it("leaves an ordinary error as it is", () => {
    const error = Object.assign(new TypeError("no"), { code: "ENOENT" });
    const expected = { error: { name: "TypeError", message: "no", code: "ENOENT" }, stack: error.stack };
    expect(describeError(error)).toEqual(expected);
  });
});

describe("tooManyFailures", () => {
  it("quotes at most 64 kB of the last error", () => {
    const error = tooManyFailures(2, 1, { item: 0, error: new Error("x".repeat(10_000_000)) });
    expect(error.message.length).toBeLessThan(66_000);
  });
});
