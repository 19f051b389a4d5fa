import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { conventionOf, modelOf } from "../../../../src/recipes/xvector/toolkits/choose-convention.ts";
import { toolkitNames } from "../../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { checkXVectorConfig } from "../../../../src/recipes/xvector/xvector-config.ts";
import { exampleConfig, yamlLines } from "../../../../web/guide/xvector/example-config.ts";
import { toolkitFacts } from "../../../../web/guide/xvector/toolkit-facts.ts";

describe.each(toolkitNames)("the guide's config for %s", (toolkit) => {
  const config = exampleConfig(toolkit);
  const { xvector: section } = config;
  const text = yamlLines(config).join("\n");

  it("is YAML that reads back as what it was made from", () => {
    expect(parse(text)).toEqual(config);
  });

  it("is taken by the recipe's own check", () => {
    expect(checkXVectorConfig(parse(text))).toEqual(section);
  });

  it("names a model and a way to hand audio to it", () => {
    expect(conventionOf(section).sampleRate).toBe(16_000);
    expect(modelOf(section)).toBe(section.pretrained_model);
  });

  it("has a sentence and a dimension", () => {
    const { sentence, dimension } = toolkitFacts[toolkit];
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(dimension).not.toBe("");
  });
});
