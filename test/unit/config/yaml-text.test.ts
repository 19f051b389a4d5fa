// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are the text
import { expect, it } from "vitest";
import { yamlLibrary } from "../../../src/config/yaml-library.ts";
import { parseYamlText } from "../../../src/config/yaml-text.ts";

const parse = (text: string) =>
  parseYamlText(text, {
    source: "x.yaml",
    maxDepth: 50,
    uniqueKeys: true,
    lineCounter: new (yamlLibrary().LineCounter)(),
  });

it("makes no stack for each of the many mistakes of a damaged text", () => {
  const { stackTraceLimit } = Error;
  const { errors } = parse(`a: {b${"${c}".repeat(1000)}: 1}\n`);
  expect(errors.length).toBeGreaterThan(1000);
  expect(errors.filter(({ stack }) => stack?.includes("\n    at "))).toEqual([]);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
