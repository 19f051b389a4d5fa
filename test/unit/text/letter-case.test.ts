import { describe, expect, it } from "vitest";
import { toCamelCase, toSnakeCase } from "../../../src/text/letter-case.ts";

describe("names of options", () => {
  it.each([
    ["batchSize", "batch_size"],
    ["maxRss", "max_rss"],
    ["resume", "resume"],
  ])("%s is %s in YAML", (camel, snake) => {
    expect(toSnakeCase(camel)).toBe(snake);
    expect(toCamelCase(snake)).toBe(camel);
  });
});
