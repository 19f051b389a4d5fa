// Checkpoints that are not converted: each reason is named, before anything is computed with the model.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeCheckpoint } from "../../../src/checkpoints/describe-checkpoint.ts";
import { findCheckpoint } from "../../../src/checkpoints/find-checkpoint.ts";
import { encodePt, ndArray } from "../../../src/formats.ts";
import { hyperparams, numbers, weights } from "../../support/checkpoints/small-xvector.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const [beforeModel, afterModel] = hyperparams.split(/embedding_model: !new[\s\S]*?(?=classifier:)/) as [string, string];

/** The configuration with another embedding model. */
function withModel(name: string, settings: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(settings).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
  return `${beforeModel}embedding_model: !new:speechbrain.lobes.models.${name}\n${lines.join("")}${afterModel}`;
}

interface Parts {
  readonly config?: string | Uint8Array;
  readonly state?: Parameters<typeof encodePt>[0];
  readonly statistics?: Parameters<typeof encodePt>[0];
}

function convert({ config = hyperparams, state = weights, statistics }: Parts): Buffer {
  const folder = temporaryFolder();
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const files = {
    toolkit: "speechbrain",
    config: write("hyperparams.yaml", config),
    weights: write("embedding_model.ckpt", encodePt(state)),
    ...(statistics === undefined ? {} : { statistics: write("mean_var_norm_emb.ckpt", encodePt(statistics)) }),
  } as const;
  return describeCheckpoint(files).convert();
}

/** A few lines that stand for a hundred thousand values. */
const manyValues = "bcdef"
  .split("")
  .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${"abcde"[i]}`).join(", ")}]`)
  .join("\n")
  .replace(/^/, "a: &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n");

const ecapa = { input_size: 8, channels: [8, 8, 8], kernel_sizes: [3, 3, 1], dilations: [1, 2, 1] };
const resnet = { input_size: 8, channels: [4, 4, 4, 4] };

describe("a checkpoint of SpeechBrain is refused", () => {
  it.each<[string, string]>([
    [
      "need one number for each of three or more layers",
      withModel("ECAPA_TDNN.ECAPA_TDNN", { ...ecapa, dilations: [1, 2] }),
    ],
    ["have different channels", withModel("ECAPA_TDNN.ECAPA_TDNN", fourLayers({ channels: [8, 8, 16, 8] }))],
    [
      "an even kernel and an odd dilation",
      withModel("ECAPA_TDNN.ECAPA_TDNN", fourLayers({ kernel_sizes: [3, 2, 3, 1] })),
    ],
    ["not divisible by res2net_scale, 3", withModel("ECAPA_TDNN.ECAPA_TDNN", { ...ecapa, res2net_scale: 3 })],
    [
      "channels, block_sizes and strides need four numbers each",
      withModel("ResNet.ResNet", { ...resnet, strides: [1, 2] }),
    ],
    ["need 2 numbers, as tdnn_blocks says", hyperparams.replace("tdnn_blocks: 1", "tdnn_blocks: 2")],
    ["modules.embedding_model is null", hyperparams.replace("    embedding_model: !ref <embedding_model>\n", "")],
    [
      "modules.embedding_model gives speechbrain.lobes.models.Xvector.Xvector arguments without names",
      `${beforeModel}embedding_model: !new:speechbrain.lobes.models.Xvector.Xvector [8]\n${afterModel}`,
    ],
    [
      "its references make a text that is too long",
      hyperparams.replace("width: 4", `width: !ref <long>${" <long>".repeat(40)}\nlong: ${"x".repeat(300)}`),
    ],
    [
      "mean_norm: false is not converted",
      hyperparams.replace("std_norm: False", "std_norm: False\n    mean_norm: False"),
    ],
    ["requires_grad: true is not converted", hyperparams.replace("Fbank\n", "Fbank\n    requires_grad: True\n")],
    [
      'approximate: "tanh" is not converted',
      hyperparams.replace("torch.nn.LeakyReLU", "torch.nn.GELU\n        approximate: tanh"),
    ],
    ["std_norm is 3; true or false was expected", hyperparams.replace("std_norm: False", "std_norm: 3")],
  ])("%s", (message, config) => {
    expect(() => convert({ config })).toThrow(message);
    expect(() => convert({ config })).toThrow(expect.objectContaining({ code: "BAD_MODEL", hint: expect.any(String) }));
  });

  it.each<[string, string | Uint8Array]>([
    ["This is not valid YAML", "modules: [a\n"],
    ["The file has no keys with values", "- a\n- b\n"],
    ["The file nests deeper than 50 levels", `a: ${"[".repeat(60)}${"]".repeat(60)}\n`],
    ["The file has too many values", manyValues],
    ["more than the 2097152 of any configuration", new Uint8Array(2_100_000).fill(32)],
  ])("whose configuration is no such file: %s", (message, config) => {
    expect(() => convert({ config })).toThrow(message);
  });

  it("whose configuration cannot be read", () => {
    const folder = temporaryFolder();
    const config = join(folder, "hyperparams.yaml");
    const describeIt = () => describeCheckpoint({ toolkit: "speechbrain", config, weights: join(folder, "none.ckpt") });
    expect(describeIt).toThrow(/hyperparams\.yaml.*it cannot be read: .*ENOENT/);
    mkdirSync(config);
    expect(describeIt).toThrow(/it cannot be read/);
  });

  it("whose weights are no dict of tensors", () => {
    expect(() => convert({ state: numbers(3) })).toThrow("it holds no dict of tensors");
    expect(() => convert({ state: { ...weights, "blocks.4.w.bias": new Map() } as never })).toThrow(
      'its entry "blocks.4.w.bias" is no tensor',
    );
  });

  it("whose statistics are none, or those of another model", () => {
    const section = (more = "") =>
      `mean_var_norm_emb: !new:speechbrain.processing.features.InputNormalization\n    std_norm: False\n${more}`;
    const config = (more?: string) =>
      hyperparams.replace("modules:\n", `${section(more)}modules:\n    mean_var_norm_emb: !ref <mean_var_norm_emb>\n`);
    const statistics = { glob_mean: numbers(8) };
    expect(convert({ config: config(), statistics }).length).toBeGreaterThan(0);
    expect(convert({ config: config(), statistics: { glob_mean: numbers(1) } }).length).toBeGreaterThan(0);
    for (const [message, changed] of [
      ["glob_mean has 5 numbers, and a vector 8", { config: config(), statistics: { glob_mean: numbers(5) } }],
      ["it holds no tensor glob_mean of float32", { config: config(), statistics: { other: numbers(8) } }],
      [
        "it holds no tensor glob_mean of float32",
        { config: config(), statistics: { glob_mean: ndArray("float64", new Float64Array(8), [8]) } },
      ],
      ["norm_type is not global", { config: config("    norm_type: sentence\n"), statistics }],
      ["modules.mean_var_norm_emb is null", { statistics }],
    ] as const)
      expect(() => convert(changed)).toThrow(message);
  });
});

/** Settings of an ECAPA-TDNN with two layers between the first and the last. */
function fourLayers(changed: object) {
  return { input_size: 8, channels: [8, 8, 8, 8], kernel_sizes: [3, 3, 3, 1], dilations: [1, 1, 1, 1], ...changed };
}

describe("a checkpoint of ESPnet is refused", () => {
  const melspec = { frontend: "melspec_torch", frontend_conf: { n_mels: 80 } };
  const describeConfig = (config: object) => {
    const path = join(temporaryFolder(), "config.yaml");
    writeFileSync(path, JSON.stringify(config));
    return describeCheckpoint({ toolkit: "espnet", config: path, weights: "none.pth" });
  };

  it.each<[string, object]>([
    ["sample_rate is 8000; only 16000 is converted", { ...melspec, sample_rate: 8000 }],
    ["sample_rate is 8000; only 16000 is converted", { ...melspec, preprocessor_conf: { sample_rate: 8000 } }],
    ["encoder_conf is 3; keys with values were expected", { ...melspec, encoder_conf: 3 }],
    ["sinc_filters is odd", { frontend: "asteroid_frontend", frontend_conf: { sinc_filters: 65 } }],
    ["need five numbers each", { ...melspec, encoder: "xvector", encoder_conf: { paddings: [1, 1] } }],
    [
      "82 features are not divisible by 4",
      { frontend: "melspec_torch", frontend_conf: { n_mels: 82 }, encoder: "ska_tdnn" },
    ],
    ['normalize: "mvn" is not converted', { frontend: "melspec_torch", frontend_conf: { normalize: "mvn" } }],
    ["win_length is larger than n_fft", { frontend: "melspec_torch", frontend_conf: { win_length: 600 } }],
    ["n_fft: 8192 is not converted; at most 4096 is", { frontend: "melspec_torch", frontend_conf: { n_fft: 8192 } }],
    ['skablock: "Other" is not converted', { ...melspec, encoder: "ska_tdnn", encoder_conf: { skablock: "Other" } }],
    ['normalize: "global_mvn" is not converted', { ...melspec, normalize: "global_mvn" }],
  ])("%s", (message, config) => {
    expect(() => describeConfig(config)).toThrow(message);
    expect(() => describeConfig(config)).toThrow(expect.objectContaining({ code: "BAD_MODEL" }));
  });

  it("whose meta.yaml does not name its files", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "meta.yaml"), "files: {asr_model_file: a.pth}\nyaml_files: {train_config: c.yaml}\n");
    const get = async (name: string) => join(folder, name);
    await expect(findCheckpoint(["meta.yaml"], get)).rejects.toThrow(
      "files.model_file is null; the name of a file was expected",
    );
  });
});

describe("a checkpoint of RawNet is refused", () => {
  it("without a dict of tensors under the key model, and with other weights", () => {
    const path = join(temporaryFolder(), "model.pt");
    writeFileSync(path, encodePt({ other: numbers(2) }));
    expect(() => describeCheckpoint({ toolkit: "rawnet", weights: path })).toThrow(
      'it holds no dict of tensors under the key "model"',
    );
  });
});
