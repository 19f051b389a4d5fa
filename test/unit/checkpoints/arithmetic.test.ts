import { describe, expect, it } from "vitest";
import { calculate } from "../../../src/checkpoints/speechbrain/arithmetic.ts";

describe("the arithmetic of references", () => {
  it.each([
    ["4 * 2 + 1", 9],
    ["1 + 4 * 2", 9],
    ["(80 + 16) // 2 - 4", 44],
    ["2 - 3 - 4", -5],
    ["7 / 2", 3.5],
    ["-7 // 2", -4],
    ["-7 % 3", 2],
    ["2 * -(1 + 1)", -4],
    ["1e-3 * 1000", 1],
  ])("calculates %s", (text, value) => {
    expect(calculate(text)).toBe(value);
  });

  it.each(["80", "a/b", "4 ** 2", "(1 + 2", "1 +", "1 / 0", "2 3", "os.system(1)", "1+".repeat(200)])(
    "leaves %s as a text",
    (text) => {
      expect(calculate(text)).toBeUndefined();
    },
  );
});
