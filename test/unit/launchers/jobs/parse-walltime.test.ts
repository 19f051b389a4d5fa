import fc from "fast-check";
import { expect, it } from "vitest";
import { formatWalltime, parseWalltime } from "../../../../src/launchers/jobs/parse-walltime.ts";

it.each<[string, number]>([
  ["30", 1800],
  ["1:30", 90],
  ["04:00:00", 14_400],
  ["100:00:00", 360_000],
  ["1-0", 86_400],
  ["1-12", 129_600],
  ["1-12:30", 131_400],
  ["1-12:00:05", 129_605],
  ["90s", 90],
  ["90m", 5400],
  ["4h", 14_400],
  ["2D", 172_800],
  [" 0:08 ", 8],
])("%j is %i seconds", (text, seconds) => {
  expect(parseWalltime(text)).toBe(seconds);
});

it.each(["", "UNLIMITED", "NOT_SET", "INVALID", "1:2:3:4", "-1", "1h30m", "1-", "one hour", "1.5h"])(
  "%j is no time",
  (text) => {
    expect(parseWalltime(text)).toBeUndefined();
  },
);

it("a time that was written is read as the same", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
      expect(parseWalltime(formatWalltime(seconds))).toBe(seconds);
    }),
  );
});
