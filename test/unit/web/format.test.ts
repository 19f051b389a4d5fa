import { describe, expect, it } from "vitest";
import { formatBytes, formatMoment, formatPercent, formatSpan, plural } from "../../../web/dashboard/format.ts";

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [300 * 1024 ** 2, "300 MiB"],
    [5 * 1024 ** 5, "5120 TiB"],
  ])("says %d as %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe("formatSpan", () => {
  it.each([
    [-5, "0 ms"],
    [350, "350 ms"],
    [1040, "1 s"],
    [59_980, "59 s"],
    [90_000, "1.5 min"],
    [7_200_000, "2 h"],
    [3 * 86_400_000, "3 d"],
  ])("says %d as %s", (ms, text) => expect(formatSpan(ms)).toBe(text));
});

describe("formatPercent", () => {
  it("is 100 only when all is done", () => {
    expect([formatPercent(99_999, 100_000), formatPercent(100_000, 100_000)]).toEqual(["99.9 %", "100 %"]);
  });

  it("has a digit more where little is done", () => expect(formatPercent(1, 800)).toBe("0.1 %"));

  it("is 100 for nothing to do", () => expect(formatPercent(0, 0)).toBe("100 %"));
});

describe("formatMoment", () => {
  it("is in the time zone of the reader", () => {
    expect(formatMoment(new Date(2026, 10, 6, 9, 5, 2).getTime())).toBe("2026-11-06 09:05:02");
  });
});

describe("plural", () => {
  it("counts one and several", () =>
    expect([plural(1, "shard"), plural(1234, "shard")]).toEqual(["1 shard", "1,234 shards"]));
});
