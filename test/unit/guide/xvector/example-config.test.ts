import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeCheckpoint } from "../../../../src/checkpoints/describe-checkpoint.ts";
import { encodePt } from "../../../../src/formats.ts";
import { conventionOf, modelOf } from "../../../../src/recipes/xvector/toolkits/choose-convention.ts";
import { toolkitNames } from "../../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { checkXVectorConfig } from "../../../../src/recipes/xvector/xvector-config.ts";
import { exampleConfig, yamlLines } from "../../../../web/guide/xvector/example-config.ts";
import { toolkitFacts } from "../../../../web/guide/xvector/toolkit-facts.ts";
import { numbers } from "../../../support/checkpoints/small-xvector.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

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

describe("the dimension that the guide shows", () => {
  // The published configurations leave the size as it is.
  const contents = {
    speechbrain: {
      config: `compute_features: !new:speechbrain.lobes.features.Fbank {n_mels: 80}
mean_var_norm: !new:speechbrain.processing.features.InputNormalization {norm_type: sentence, std_norm: False}
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN {input_size: 80}
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
`,
    },
    espnet: { config: "frontend: asteroid_frontend\n" },
    rawnet: { weights: encodePt({ model: { other: numbers(1) } } as never) },
  };

  it.each(["speechbrain", "espnet", "rawnet"] as const)("is that of a model of %s", (toolkit) => {
    const folder = temporaryFolder();
    const files = Object.entries({ weights: new Uint8Array(0), ...contents[toolkit] }).map(([name, content]) => {
      writeFileSync(join(folder, name), content);
      return [name, join(folder, name)];
    });
    const { dimension } = describeCheckpoint({ toolkit, ...Object.fromEntries(files) });
    expect(toolkitFacts[toolkit].dimension).toMatch(new RegExp(`^${dimension}\\b`));
  });
});
