/** The files of a new project, by their path. */
export function projectFiles(name: string, version: string): Record<string, string> {
  const description = {
    name,
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: { start: "millrace run prep.yaml", test: "node --test" },
    dependencies: { millrace: `^${version}` },
  };
  return {
    "package.json": `${JSON.stringify(description, null, 2)}\n`,
    ".gitignore": "node_modules/\nexp/\n",
    "prep.yaml": unindented(prepYaml),
    "prep.js": unindented(prepJs),
    "prep.test.js": unindented(prepTest),
    "README.md": unindented(readme(name)),
  };
}

/** A text without the indentation that it has in this file. */
function unindented(text: string): string {
  return text.replace(/^\n/, "").replace(/^ {4}/gm, "");
}

const prepYaml = `
    # millrace run prep.yaml            runs it; run it again, and finished items are not run again
    # millrace run prep.yaml model.minWords=4 runner.output_dir=exp/other
    dataset:
      sentences: 200
    model:
      minWords: 3
    provider:
      _target_: ./prep.js#PrepProvider
    runner:
      _target_: ./prep.js#PrepRunner
      output_dir: exp/prep
      merge_files: true
    items: \${dataset.sentences}
    parallel:
      env: process # or local, thread, local_gpu
      n_workers: 2
`;

const prepJs = `
    // The provider is built once per worker; the runner has the work for each item.
    import { BaseRunner, InferenceProvider } from "millrace";

    export class PrepProvider extends InferenceProvider {
      /** Replace it by code that loads your data. Items are indices into it. */
      static buildDataset({ dataset }) {
        return Array.from({ length: dataset.sentences }, (_, i) => ({ id: \`utt\${i}\`, text: "  One  more Word".repeat(i % 4) }));
      }

      /** A model, a tokenizer, a cleaner: anything that takes long to make. */
      static buildModel({ model }) {
        return (text) => {
          const words = text.trim().toLowerCase().split(/\\s+/).filter((word) => word !== "");
          return words.length < model.minWords ? undefined : words.join(" ");
        };
      }
    }

    export class PrepRunner extends BaseRunner {
      static forward(idx, { dataset, model }) {
        const { id, text } = dataset[idx];
        const clean = model(text);
        return clean === undefined ? null : { utt_id: id, text: clean }; // null drops the item
      }
    }
`;

const prepTest = `
    import assert from "node:assert/strict";
    import { test } from "node:test";
    import { range } from "millrace";
    import { PrepProvider, PrepRunner } from "./prep.js";

    const provider = new PrepProvider({ dataset: { sentences: 8 }, model: { minWords: 3 } });

    test("forward cleans a sentence, and drops a short one", async () => {
      const env = await provider.buildEnvLocal();
      assert.deepEqual(PrepRunner.forward(1, env), { utt_id: "utt1", text: "one more word" });
      assert.equal(PrepRunner.forward(0, env), null);
    });

    test("a run keeps the order of the items and leaves the short ones out", async () => {
      const records = await new PrepRunner(provider, { progress: false }).run(range(8));
      assert.equal(records.length, 6);
      assert.deepEqual(records[0], { utt_id: "utt1", text: "one more word" });
    });
`;

function readme(name: string): string {
  return `
    # ${name}

    \`\`\`sh
    npm install
    npx millrace run prep.yaml      # runs it; kill it and run it again: it continues
    npx millrace status exp/prep
    npm test
    \`\`\`

    \`prep.js\` has the work for each item, \`prep.yaml\` the data and where it runs. The records are in \`exp/prep/records.jsonl\`.
`;
}
