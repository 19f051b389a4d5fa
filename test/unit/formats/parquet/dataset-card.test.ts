import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { datasetCard } from "../../../../src/formats/parquet/dataset-card.ts";
import { yamlBlock } from "../../../../src/formats/parquet/yaml-block.ts";

describe("datasetCard", () => {
  it("gives the front matter that the datasets library reads, and a page", () => {
    const card = datasetCard({
      title: "Kleine Stimmen: 100 Sätze",
      description: "Ten speakers.",
      license: "cc-by-4.0",
      language: ["de", "no"],
      tags: ["speech"],
      taskCategories: ["audio-classification"],
      configs: [
        {
          columns: [
            { name: "utt_id", type: "string" },
            { name: "frames", type: "int64" },
            { name: "emb", type: "list<float32>" },
          ],
          splits: [
            { name: "train", files: "data/train-*.parquet", rows: 900, sizeBytes: 12_345 },
            { name: "test", files: ["data/test-0.parquet", "data/test-1.parquet"], rows: 100, sizeBytes: 1000 },
          ],
        },
      ],
    });
    expect(card).toBe(`---
license: cc-by-4.0
language:
- de
- "no"
pretty_name: "Kleine Stimmen: 100 Sätze"
tags:
- speech
task_categories:
- audio-classification
size_categories:
- "1K<n<10K"
dataset_info:
- config_name: default
  features:
  - name: utt_id
    dtype: string
  - name: frames
    dtype: int64
  - name: emb
    sequence: float32
  splits:
  - name: train
    num_bytes: 12345
    num_examples: 900
  - name: test
    num_bytes: 1000
    num_examples: 100
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
  - split: test
    path:
    - data/test-0.parquet
    - data/test-1.parquet
---

# Kleine Stimmen: 100 Sätze

Ten speakers.

| split | rows | files |
| --- | ---: | --- |
| train | 900 | \`data/train-*.parquet\` |
| test | 100 | \`data/test-0.parquet\` \`data/test-1.parquet\` |

| column | type |
| --- | --- |
| utt_id | string |
| frames | int64 |
| emb | list<float32> |
`);
  });

  it("says nothing of what it does not know", () => {
    const card = datasetCard({ title: "x", configs: [{ splits: [{ name: "train", files: "*.tar" }] }] });
    expect(parse(card.split("---")[1]!)).toEqual({
      pretty_name: "x",
      configs: [{ config_name: "default", data_files: [{ split: "train", path: "*.tar" }] }],
    });
  });

  it.each([
    [0, "n<1K"],
    [999, "n<1K"],
    [1000, "1K<n<10K"],
    [123_456_789, "100M<n<1B"],
    [10 ** 13, "n>1T"],
  ])("puts %i rows into the class %s", (rows, category) => {
    const card = datasetCard({ title: "x", configs: [{ splits: [{ name: "train", files: "x", rows }] }] });
    expect(parse(card.split("---")[1]!)).toMatchObject({ size_categories: [category] });
  });

  it("refuses names that the datasets library refuses", () => {
    const split = { name: "train", files: "x" };
    const make = (configs: Parameters<typeof datasetCard>[0]["configs"]) => () => datasetCard({ title: "x", configs });
    const refused = expect.objectContaining({ code: "BAD_OPTION" });
    expect(make([])).toThrowError(refused);
    expect(make([{ splits: [] }])).toThrowError(refused);
    expect(make([{ name: "a/b", splits: [split] }])).toThrowError(refused);
    expect(make([{ splits: [split] }, { splits: [split] }])).toThrowError(refused);
    expect(make([{ splits: [{ ...split, name: "dev-clean" }] }])).toThrowError(refused);
    expect(make([{ splits: [split, split] }])).toThrowError(refused);
  });
});

describe("yamlBlock", () => {
  it("gives YAML that is read back as what was written", () => {
    const scalars = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("yes", "1e3", "~", "- a", "null", "#x", ""),
      fc.integer(),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        scalars,
        fc.array(fc.oneof(scalars, fc.dictionary(fc.string(), tie("tree"), { minKeys: 1, maxKeys: 3 })), {
          maxLength: 3,
        }),
        fc.dictionary(fc.string(), tie("tree"), { minKeys: 1, maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), tree, { minKeys: 1 }), (value) => {
        const keys = JSON.stringify(value);
        fc.pre(!keys.includes("__proto__"));
        expect(JSON.stringify(parse(yamlBlock(value)))).toBe(keys);
      }),
    );
  });
});
