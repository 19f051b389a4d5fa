// The guide's x-vector configs and code, run as they stand: both give the same vectors.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "millrace";
import { encodePt, readPt, readScp } from "millrace/formats";
import { encodeOnnx } from "millrace/speech";
import { describe, expect, it } from "vitest";
import { conventionOf } from "../../src/recipes/xvector/toolkits/choose-convention.ts";
import { toolkitNames } from "../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { exampleConfig, yamlLines } from "../../web/guide/xvector/example-config.ts";
import { providerCode, runnerCode } from "../../web/guide/xvector/toolkit-code.ts";
import { toolkitFacts } from "../../web/guide/xvector/toolkit-facts.ts";
import { hyperparams, numbers, weights } from "../support/checkpoints/small-xvector.ts";
import { program, repository, start } from "../support/cli/project.ts";
import { diagnose, transpile } from "../support/diagnose.ts";
import { startFakeHub } from "../support/recipes/fake-download-hub.ts";
import { makeVoices } from "../support/recipes/voices.ts";
import { sharedIsAbsent, sharedPath } from "../support/shared-path.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A model that takes what the toolkit passes: the mean, largest and smallest value over time. */
function standIn(input: "waveform" | "features"): Buffer {
  const shape = input === "waveform" ? ["B", "T"] : ["B", "T", 80];
  const over = (type: string, name: string) => ({
    type,
    inputs: ["x"],
    outputs: [name],
    attributes: { axes: [1n], keepdims: input === "waveform" ? 1n : 0n },
  });
  return encodeOnnx({
    name: "stand_in",
    inputs: [{ name: "x", shape }],
    outputs: [{ name: "y", shape: ["B", input === "waveform" ? 3 : 240] }],
    constants: [],
    nodes: [
      over("ReduceMean", "mean"),
      over("ReduceMax", "max"),
      over("ReduceMin", "min"),
      { type: "Concat", inputs: ["mean", "max", "min"], outputs: ["y"], attributes: { axis: 1n } },
    ],
  });
}

/** A small checkpoint of SpeechBrain that takes 80 mel bins. */
function writeCheckpoint(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "hyperparams.yaml"), hyperparams.replace("n_mels: 8", "n_mels: 80"));
  const state = encodePt({ ...weights, "blocks.0.conv.weight": numbers(4, 80, 3) });
  writeFileSync(join(folder, "embedding_model.ckpt"), state);
}

function makeProject(): string {
  const folder = temporaryFolder();
  for (const name of ["data/manifest", "models", "node_modules"]) mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(repository, join(folder, "node_modules", "millrace"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const split of ["train", "valid", "test"]) {
    const manifest = makeVoices(join(folder, "data", "manifest"), { speakers: 2, utterances: 1 });
    renameSync(manifest, join(folder, "data", "manifest", `${split}.tsv`));
  }
  return folder;
}

const main = `import { loadConfig, range } from "millrace";
import { XVectorProvider } from "./xvector-provider.js";
import { XVectorRunner } from "./xvector-runner.js";
const config = await loadConfig("xvector.yaml", process.argv.slice(2));
const provider = new XVectorProvider(config, { manifest_path: "data/manifest/test.tsv" });
await new XVectorRunner(provider, { outputDir: "own", shards: 1, progress: false }).run(range(2));
`;

/** Checkpoints that stand for the models on the hub: of the same kind, with fewer weights. */
const checkpoints = {
  speechbrain: sharedPath("data", "models", "speechbrain", "spkrec-ecapa-small"),
  espnet: sharedPath("data", "models", "espnet", "rawnet3_small"),
} as const;
const skipped = checkpoints.espnet === undefined ? ` (skipped: ${sharedIsAbsent})` : "";

/** All files below a folder, by their names. */
function filesBelow(folder: string): Record<string, Uint8Array> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}

describe.skipIf(checkpoints.espnet === undefined)(`the guide's models on the hub${skipped}`, () => {
  it.each(["speechbrain", "espnet"] as const)(
    "are fetched and run by the config of %s as it is, and its code gives the same vectors",
    { timeout: 120_000 },
    async (toolkit) => {
      const folder = makeProject();
      const config = exampleConfig(toolkit);
      const hub = await startFakeHub(config.xvector.pretrained_model!, filesBelow(checkpoints[toolkit]!));
      const texts = {
        "xvector.yaml": `${yamlLines(config).join("\n")}\n`,
        "xvector-provider.js": transpile(providerCode(toolkit)),
        "xvector-runner.js": transpile(runnerCode(toolkit)),
        "main.js": main,
      };
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
      const variables = {
        HF_ENDPOINT: hub.url,
        HF_HUB_CACHE: join(folder, "hub"),
        XDG_CACHE_HOME: join(folder, "cache"),
      };
      const run = (...words: string[]) => start([process.execPath, ...words], folder, variables).ended;
      expect(await run(program, "xvector", "xvector.yaml")).toMatchObject({ status: 0 });
      expect(await run("main.js")).toMatchObject({ status: 0 });
      const vectors = readScp(join(folder, "own", "split.0", "xvector.scp"));
      expect(vectors.size).toBe(2);
      const tag = config.xvector.spk_embed_tag!;
      for (const [id, path] of vectors)
        expect(readPt(path)).toEqual(readPt(join(folder, "data", "x_vectors", tag, "test", `${id}.pt`)));
    },
  );
});

describe.each(toolkitNames)("the guide's part about %s", (toolkit) => {
  it("has a config whose paths all follow data_dir", async () => {
    const path = join(temporaryFolder(), "xvector.yaml");
    writeFileSync(path, `${yamlLines(exampleConfig(toolkit)).join("\n")}\n`);
    expect(await loadConfig(path, ["data_dir=/elsewhere"])).toMatchObject({
      xvector: {
        save_path: "/elsewhere/x_vectors",
        manifest_paths: {
          train: "/elsewhere/manifest/train.tsv",
          valid: "/elsewhere/manifest/valid.tsv",
          test: "/elsewhere/manifest/test.tsv",
        },
      },
    });
  });

  it("has a config and code that run as they stand, but for the model, and give the same vectors", () => {
    const folder = makeProject();
    const config = exampleConfig(toolkit);
    const { pretrained_model, spk_embed_tag } = config.xvector;
    // What is on the hub is not fetched here.
    const model =
      toolkit === "speechbrain" ? "models/a" : pretrained_model?.replace(/^(?!models\/).*/, "models/a.onnx");
    if (toolkit === "speechbrain") writeCheckpoint(join(folder, "models/a"));
    else if (model !== undefined) writeFileSync(join(folder, model), standIn(conventionOf(config.xvector).input));
    const overrides = model === pretrained_model ? [] : [`xvector.pretrained_model=${model}`];
    const run = (...words: string[]) => {
      const args = [...words, ...overrides];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
      expect({ words, status, stderr: status === 0 ? "" : stderr }).toEqual({ words, status: 0, stderr: "" });
    };
    writeFileSync(join(folder, "xvector.yaml"), `${yamlLines(config).join("\n")}\n`);
    run(program, "xvector", "xvector.yaml");

    const code = { "xvector-provider": providerCode(toolkit), "xvector-runner": runnerCode(toolkit) };
    for (const [name, text] of Object.entries(code)) writeFileSync(join(folder, `${name}.ts`), text);
    expect(diagnose(join(folder, "xvector-runner.ts"))).toEqual([]);
    for (const [name, text] of Object.entries(code)) writeFileSync(join(folder, `${name}.js`), transpile(text));
    writeFileSync(join(folder, "main.js"), main);
    run("main.js");

    const vectors = readScp(join(folder, "own", "split.0", "xvector.scp"));
    expect(vectors.size).toBe(2);
    for (const [id, path] of vectors) {
      const theirs = readPt(join(folder, "data", "x_vectors", spk_embed_tag!, "test", `${id}.pt`));
      expect(readPt(path)).toEqual(theirs);
      if (toolkit === "builtin") expect(theirs).toMatchObject({ shape: [Number(toolkitFacts.builtin.dimension)] });
    }
  });
});
