// Inference over all test sets of a config, and the metrics of what it wrote.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadConfig } from "millrace";
import { BaseMetric, CER, infer, measure, WER } from "millrace/recipes";
import { describe, expect, it } from "vitest";
import { makeProject } from "../support/cli/project.ts";

const modules = `import { writeFileSync } from "node:fs";
import { InferenceProvider } from "millrace";
import { BaseMetric } from "millrace/recipes";
export class Texts {
  constructor({ texts }) { this.texts = texts; }
  get length() { return this.texts.length; }
  get(i) { return { utt_id: "utt" + i, speech: this.texts[i], text: this.texts[i] }; }
}
export class Model {
  constructor({ wrong }) { this.wrong = wrong; }
  forward({ speech }) { return { hyp: speech.replace(this.wrong, "oops") }; }
}
export const output = ({ data, modelOutput }) => ({ utt_id: data.utt_id, ref: data.text, ...modelOutput, length: data.text.length });
export class OwnProvider extends InferenceProvider {
  static buildDataset({ test_set }) { return [{ utt_id: "a", speech: test_set, text: test_set }]; }
  static buildModel() { return ({ speech }) => ({ hyp: speech }); }
}
export class Longest extends BaseMetric {
  constructor({ unit }) { super(); this.unit = unit; }
  compute(data, testName, inferenceDir) {
    let most = 0;
    for (const [id, { length }] of this.iterInputs(data, "length", "words")) most = Math.max(most, Number(length));
    return { [this.unit]: most };
  }
}
export class Nothing extends BaseMetric { compute() { return {}; } }
`;

const config = `inference_dir: exp/inference
dataset:
  test:
    - name: test-clean
      dataset: { _target_: "./asr.js#Texts", texts: [one two three four, five] }
    - name: test-other
      dataset: { _target_: "./asr.js#Texts", texts: [five] }
model: { _target_: "./asr.js#Model", wrong: five }
input_key: speech
output_fn: ./asr.js#output
provider: { _target_: espnet3.systems.base.inference_provider.InferenceProvider }
runner: { _target_: espnet3.systems.base.inference_runner.InferenceRunner }
parallel: { env: local, n_workers: 1 }
`;

const metrics = `inference_dir: exp/inference
metrics:
  - metric: { _target_: espnet3.systems.esp2_asr.metrics.wer.WER, clean_types: }
  - metric: { _target_: millrace/recipes#CER, ref_key: ref, hyp_key: hyp }
    inputs: { ref: ref, hyp: hyp }
  - metric: { _target_: "./asr.js#Longest", unit: characters }
    inputs: { length: length, words: hyp }
    name: longest
`;

function project() {
  const made = makeProject();
  writeFileSync(made.path("asr.js"), modules);
  const write = (name: string, text: string) => {
    writeFileSync(made.path(name), text);
    return made.path(name);
  };
  const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = process.cwd();
    process.chdir(made.path("."));
    try {
      return await work();
    } finally {
      process.chdir(before);
    }
  };
  const read = (name: string) => readFileSync(made.path(name), "utf8");
  const start = (text: string, run: (config: object) => Promise<unknown>) =>
    inFolder(async () => run(await loadConfig(write("conf.yaml", text))));
  return { ...made, read, infer: (text: string) => start(text, (one) => infer(one, { progress: false })), start };
}

describe("infer", () => {
  it("decodes every test set into a folder of its own, and measure leaves metrics.json beside them", async () => {
    const { infer: run, start, read } = project();
    const results = (await run(config)) as Awaited<ReturnType<typeof infer>>;
    expect(Object.keys(results)).toEqual(["test-clean", "test-other"]);
    expect(results["test-clean"]!.count).toEqual({ ref: 2, hyp: 2, length: 2 });
    expect(read("exp/inference/test-clean/hyp.scp")).toBe("utt0 one two three four\nutt1 oops\n");
    const found = await start(metrics, measure);
    expect(found).toEqual({
      "espnet3.systems.esp2_asr.metrics.wer.WER": { "test-clean": { WER: 20 }, "test-other": { WER: 100 } },
      "millrace/recipes#CER": { "test-clean": { CER: 18.18 }, "test-other": { CER: 100 } },
      longest: { "test-clean": { characters: 18 }, "test-other": { characters: 4 } },
    });
    expect(JSON.parse(read("exp/inference/metrics.json"))).toEqual(found);
    expect(read("exp/inference/test-other/wer_alignment")).toContain("hyp: oops");
  });

  it("continues where it was, in processes too, also where a test set was added", async () => {
    const { infer: run, read } = project();
    const first = config.replace(/ {4}- name: test-other\n.*\n/, "").replace("env: local", "env: process");
    await run(first);
    // The times of a code file are noted once it is some seconds old.
    const manifest = () => read("exp/inference/test-clean/manifest.json").replace(/,\s*"stamp": "[^"]*"/g, "");
    const before = manifest();
    await run(config);
    expect(manifest()).toBe(before);
    expect(read("exp/inference/test-other/hyp.scp")).toBe("utt0 oops\n");
  });

  it("takes a provider of the project, a single output key, and options of the runner", async () => {
    const { infer: run, read } = project();
    const own = config
      .replace("espnet3.systems.base.inference_provider.InferenceProvider", '"./asr.js#OwnProvider"')
      .replace("InferenceRunner }", "InferenceRunner, shards: 1 }");
    await run(`${own}output_keys: hyp\nbatch_size: 2\n`);
    expect(read("exp/inference/test-other/hyp.scp")).toBe("a test-other\n");
  });

  it.each([
    ["a test set without items", config.replace("texts: [five]", "texts: []"), "The test set test-other is empty."],
    ["columns to copy", `${config}copy: { text: ref }\n`, "The config has a key copy, which is not read"],
    ["empty output keys", `${config}output_keys: []\n`, "Option outputKeys of InferenceRunner"],
    ["two test sets of one name", config.replace("test-other", "test-clean"), "two test sets named test-clean"],
    ["a name that leaves the folder", config.replace("test-other", "../x"), '"../x" cannot be the name of a test set'],
    ["no test sets", config.replace(/ {2}test:\n(?: {4}.*\n)+/, "  test: []\n"), "dataset.test"],
    ["a dataset that is not described", config.replace(/ {6}dataset: .*five\].*\n/g, ""), "no section dataset"],
  ])("refuses %s before anything is decoded", async (_what, text, message) => {
    const { infer: run, read } = project();
    await expect(run(text)).rejects.toThrow(message);
    expect(() => read("exp/inference/test-clean/manifest.json")).toThrow();
  });
});

describe("measure", () => {
  function withLists(lists: Record<string, string>) {
    const made = project();
    mkdirSync(made.path("exp/inference/a"), { recursive: true });
    for (const [name, text] of Object.entries(lists)) writeFileSync(made.path(`exp/inference/a/${name}.scp`), text);
    const run = (text: string) => made.start(`inference_dir: exp/inference\nmetrics:\n${text}`, measure);
    return { ...made, run };
  }
  const pair = { ref: "u Hello\n", hyp: "u hello\n" };

  it("has a name for each of two metrics of one class", async () => {
    const { run } = withLists(pair);
    const wer = "  - metric: { _target_: millrace/recipes#WER }\n";
    const folded = "  - metric: { _target_: millrace/recipes#WER, ignore_case: true }\n";
    await expect(run(wer + folded)).rejects.toThrow("two metrics named millrace/recipes#WER");
    expect(await run(`${wer}${folded}    name: folded\n`)).toEqual({
      "millrace/recipes#WER": { a: { WER: 100 } },
      folded: { a: { WER: 0 } },
    });
  });

  it.each([
    ["millrace/recipes#WER, clean_types: [tacotron]", "one of ESPnet's text cleaners"],
    ["millrace/recipes#WER, ref_key: text", "needs exp/inference/a/text.scp, which is not there"],
    ["./asr.js#Nothing", "The config has no inputs for ./asr.js#Nothing"],
    ["./asr.js#Model, wrong: x", "./asr.js#Model gave no metric"],
  ])("refuses %s", async (section, message) => {
    const { run } = withLists(pair);
    const [target, ...options] = section.split(", ");
    await expect(run(`  - metric: { ${[`_target_: "${target}"`, ...options].join(", ")} }\n`)).rejects.toThrow(message);
  });

  it("refuses a metric without a finite number, lists of other ids, and a folder without test sets", async () => {
    const { run, start } = withLists({ ...pair, words: "v 1\n" });
    await expect(run(`  - metric: { _target_: "./asr.js#Nothing" }\n    inputs: [hyp]\n`)).rejects.toThrow(
      "gave {} for a",
    );
    const longest = `  - metric: { _target_: "./asr.js#Longest", unit: n }\n    inputs: { length: hyp, words: words }\n`;
    await expect(run(longest)).rejects.toThrow("hyp.scp has u, exp/inference/a/words.scp has v");
    await expect(start(metrics.replace("exp/inference", "nowhere"), measure)).rejects.toThrow(
      "no test sets in nowhere",
    );
  });

  it("has two classes, which are metrics", () => {
    expect(new WER()).toBeInstanceOf(BaseMetric);
    expect(new CER({ ref_key: "text" }).refKey).toBe("text");
    expect(() => new CER({ ref_kye: "text" } as object)).toThrow("Did you mean ref_key?");
  });
});
