import { describe, expect, it } from "vitest";
import { outputLimit, tooMuchOutput } from "../../../src/input/output-limit.ts";

const mib = 2 ** 20;

describe("outputLimit", () => {
  it("allows every file 64 MiB, and a large one 100 times its size", () => {
    expect(outputLimit(0)).toBe(64 * mib);
    expect(outputLimit(mib / 2)).toBe(64 * mib);
    expect(outputLimit(mib)).toBe(100 * mib);
  });

  it("takes what the caller says instead", () => {
    expect(outputLimit(mib, { maxOutputBytes: 5 })).toBe(5);
    expect(outputLimit(mib, { maxOutputBytes: Number.POSITIVE_INFINITY })).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([-1, Number.NaN])("refuses %s as a limit", (maxOutputBytes) => {
    expect(() => outputLimit(mib, { maxOutputBytes })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});

describe("tooMuchOutput", () => {
  it("says the file, what it would make, the limit and how to raise it", () => {
    const error = tooMuchOutput("BAD_FILE", { where: "x.npz, offset 7", what: "the entry a", bytes: 900, limit: 100 });
    expect(error.code).toBe("BAD_FILE");
    expect(error.message).toMatch(
      /^x\.npz, offset 7: the entry a would become 900 bytes, more than the 100 bytes allowed/,
    );
    expect(error.hint).toContain("raise maxOutputBytes");
  });
});
