import { describe, expect, it } from "vitest";
import { formatDate } from "../../../src/config/format-date.ts";

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

  it("writes the zone and the seconds since 1970", () => {
    expect(formatDate(date, "%z")).toMatch(/^[+-]\d{4}$/);
    expect(formatDate(date, "%s")).toBe(String(Math.floor(date.getTime() / 1000)));
  });

  it.each(["%K", "%", "%toString"])("refuses %s", (pattern) => {
    expect(() => formatDate(date, pattern)).toThrow("is not a field of a date");
  });
});
