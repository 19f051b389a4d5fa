import { expect, it } from "vitest";
import { parseMemory } from "../../../../src/launchers/jobs/parse-memory.ts";

it.each<[string, number]>([
  ["1", 1],
  ["512B", 512],
  ["4k", 4000],
  ["4KiB", 4096],
  ["500M", 5e8],
  ["1.5 GB", 1.5e9],
  ["4 GiB", 4 * 1024 ** 3],
  [" 2tb ", 2e12],
  ["2TiB", 2 * 1024 ** 4],
  ["0.1k", 100],
  ["1.0001k", 1001],
])("%j is %i bytes", (text, bytes) => {
  expect(parseMemory(text)).toBe(bytes);
});

it.each(["", "GB", "-1GB", "1,5GB", "4 G B", "4XB", "1e3", "four", "4GB 2"])("%j is no amount of memory", (text) => {
  expect(parseMemory(text)).toBeUndefined();
});
