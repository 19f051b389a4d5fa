import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { formatDate } from "../../../src/config/format-date.ts";

// Debian's own, which another one on the PATH may hide.
const python = ["/usr/bin/python3", "python3"].find(
  (program) => spawnSync(program, ["-c", "import datetime"], { stdio: "ignore" }).status === 0,
);
const oracle = `
import datetime, json, sys
for parts, pattern in json.load(sys.stdin):
    print(json.dumps(datetime.datetime(*parts).strftime(pattern)))
`;

const date = new Date(2024, 2, 1, 15, 4, 5, 67);

describe("formatDate", () => {
  it.each([
    ["%Y-%m-%d_%H-%M-%S", "2024-03-01_15-04-05"],
    ["%y%j", "24061"],
    ["%a %A %b %B", "Fri Friday Mar March"],
    ["%I %p", "03 PM"],
    ["%f", "067000"],
    ["%F %T %R %D", "2024-03-01 15:04:05 15:04 03/01/24"],
    ["%u%w", "55"],
    ["100%%", "100%"],
    ["", ""],
  ])("%s", (pattern, expected) => {
    expect(formatDate(date, pattern)).toBe(expected);
  });

  it("writes no zone, and the seconds since 1970", () => {
    expect(formatDate(date, "[%z%Z]")).toBe("[]");
    expect(formatDate(date, "%s")).toBe(String(Math.floor(date.getTime() / 1000)));
  });

  it.each(["%K", "%", "a%", "%oString", "%-f", "%Ed", "%Oc", "%:z", "%+", "%-"])("refuses %s", (pattern) => {
    expect(() => formatDate(date, pattern)).toThrow("is not a field of a date");
  });
});

describe.skipIf(python === undefined)(
  `formatDate beside Python${python === undefined ? " (skipped: python3 is not installed)" : ""}`,
  () => {
    const letters = [..."aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"];
    const flags = ["", "-", "_", "0", "^", "#", "5", "-5", "_5", "05", "^012", "#3", "-_", "_-", "0_", "^#", "#^"];
    const alternatives = [..."cCxXyY"].map((letter) => `E${letter}`).concat([..."bBdeHImMSuUVwWy"].map((l) => `O${l}`));
    const patterns = [...letters.flatMap((letter) => flags.map((flag) => `%${flag}${letter}`)), "%f", "%Y%f%z."].concat(
      alternatives.map((letter) => `%${letter}`),
    );

    it("writes every field, with every flag, as it does", () => {
      const days = [1, 2, 3, 4, 5, 6, 7].flatMap((day) => [
        [2024, 1, day, 0, 4, 5, 67_000],
        [2021, 12, day + 24, 12, 59, 0, 0],
        [2027, 1, day, 11, 0, 59, 999_000],
      ]);
      // The first days of a year belong to weeks of the last one, and the last to the next.
      const dates = [...days, [1999, 12, 31, 23, 59, 59, 0], [2024, 2, 29, 1, 1, 1, 1000], [2100, 7, 9, 13, 7, 3, 0]];
      const cases = dates.flatMap((parts) => patterns.map((pattern) => [parts, pattern] as const));
      const { stdout, stderr } = spawnSync(python!, ["-c", oracle], { input: JSON.stringify(cases), encoding: "utf8" });
      const theirs = stdout.split("\n").filter((line) => line !== "");
      expect(theirs.length, stderr).toBe(cases.length);
      const differing = cases.flatMap(([parts, pattern], i) => {
        const [year, month, day, hour, minute, second, micros] = parts as [number, number, ...number[]];
        const at = new Date(year, month - 1, day, hour, minute, second, micros! / 1000);
        const ours = JSON.stringify(formatDate(at, pattern));
        return ours === theirs[i] ? [] : [{ pattern, parts, ours, theirs: theirs[i] }];
      });
      expect(differing.slice(0, 10)).toEqual([]);
    });
  },
);
