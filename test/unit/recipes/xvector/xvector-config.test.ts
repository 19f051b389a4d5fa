import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFrontEnd } from "../../../../src/recipes/xvector/make-front-end.ts";
import { vectorFormat } from "../../../../src/recipes/xvector/outputs/vector-format.ts";
import { conventionOf, modelOf, toolkitOf } from "../../../../src/recipes/xvector/toolkits/choose-convention.ts";
import {
  checkXVectorConfig,
  manifestOf,
  splitsOf,
  tagOf,
  type XVectorSection,
} from "../../../../src/recipes/xvector/xvector-config.ts";
import { cmvn, fbank, speechbrainFbank } from "../../../../src/speech.ts";

const least = { save_path: "out", manifest_paths: { train: "train.tsv", test: "test.tsv" } };
const check = (changed: object) => checkXVectorConfig({ xvector: { ...least, ...changed } });
const samples = Float32Array.from({ length: 16_000 }, (_, i) => 0.3 * Math.sin(i / 9) + 0.1 * Math.sin(i / 3.3));

describe("the xvector section", () => {
  it("is taken as ESPnet3 has it", () => {
    const section = check({
      toolkit: "speechbrain",
      pretrained_model: "speechbrain/spkrec-ecapa-voxceleb",
      device: "cuda:0",
      spk_embed_tag: "spkrec-ecapa-voxceleb",
      batch_size: 20,
      splits: ["train"],
    });
    expect([splitsOf(section), tagOf(section)]).toEqual([["train"], "spkrec-ecapa-voxceleb"]);
  });

  it("has ESPnet3's defaults, and all splits that have a manifest", () => {
    const section = check({ device: null, batch_size: null });
    expect([toolkitOf(section), modelOf(section)]).toEqual(["espnet", "espnet/voxcelebs12_rawnet3"]);
    expect(splitsOf(section)).toEqual(["train", "test"]);
    expect(modelOf(check({ toolkit: "speechbrain" }))).toBe("speechbrain/spkrec-ecapa-voxceleb");
  });

  it("may name one split as a text", () => {
    expect(splitsOf(check({ splits: "train" }))).toEqual(["train"]);
  });

  it("has ESPnet3's splits and manifests where it names none, and its manifest of a split without one", () => {
    const section = checkXVectorConfig({ xvector: { save_path: "out" } });
    expect(splitsOf(section)).toEqual(["train", "valid", "test"]);
    expect(manifestOf(section, "valid")).toBe(resolve("data/manifest/valid.tsv"));
    const other = check({ splits: ["train", "dev"] });
    expect([manifestOf(other, "train"), manifestOf(other, "dev")]).toEqual([
      resolve("train.tsv"),
      resolve("data/manifest/dev.tsv"),
    ]);
  });

  it("may stand in a config with other sections", () => {
    expect(checkXVectorConfig({ data_dir: "x", trainer: {}, xvector: least })).toMatchObject(least);
  });

  it.each([
    [{ toolkit: "speechbrian" }, /Did you mean speechbrain/],
    [{ pretrained: "x" }, /xvector\.pretrained is not known[\s\S]*pretrained_model/],
    [{ batch_size: 0 }, /batch_size/],
    [{ device: "gpu" }, /cpu, cuda or cuda:N/],
    [{ splits: [] }, /splits/],
    [{ splits: "runs" }, /"runs" cannot be the name of a split/],
    [{ manifest_paths: { spk_mean: "a.tsv" } }, /"spk_mean" cannot be the name of a split/],
    [{ manifest_paths: { "../x": "a.tsv" } }, /cannot be the name of a split/],
    [{ spk_embed_tag: "../x" }, /spk_embed_tag/],
    [{ model: { windows: { length: 3 } } }, /windows/],
  ])("refuses %j", (changed, message) => {
    expect(() => check(changed)).toThrowError(
      expect.objectContaining({ code: "BAD_CONFIG", message: expect.stringMatching(message) }),
    );
  });

  it("refuses a format that is not known, with those that are", () => {
    expect(() => vectorFormat("hdf5")).toThrow(/"hdf5"[\s\S]*pt, npy, npz, ark, safetensors, parquet/);
  });
});

describe("the front ends of the toolkits", () => {
  const run = (section: Partial<XVectorSection>) => makeFrontEnd(conventionOf({ ...least, ...section }))(samples);

  it("are WeSpeaker's: Kaldi's fbank under a Hamming window, mean removed", () => {
    const expected = cmvn(fbank(samples, { numMelBins: 80, windowType: "hamming" }));
    expect(run({ toolkit: "wespeaker" })).toEqual(expected);
  });

  it("are SpeechBrain's: its Fbank of 80 bins, mean removed", () => {
    expect(run({ toolkit: "speechbrain" })).toEqual(cmvn(speechbrainFbank(samples, { nMels: 80 })));
  });

  it.each(["espnet", "rawnet"] as const)("are none for %s: the waveform goes in", (toolkit) => {
    expect(run({ toolkit })).toEqual({ data: samples, rows: 16_000, columns: 1 });
  });

  it("can be changed key by key", () => {
    const povey = run({ toolkit: "wespeaker", model: { frontend_options: { window_type: "povey" }, cmvn: "none" } });
    expect(povey).toEqual(fbank(samples, { numMelBins: 80 }));
    const scaled = run({ toolkit: "espnet", model: { sample_scale: 32_768 } });
    expect(scaled.data[100]).toBeCloseTo(samples[100]! * 32_768, 2);
  });

  it("take their sample rate from the convention, and refuse options that they do not know", () => {
    const section = { toolkit: "onnx", model: { sample_rate: 8000 } } as const;
    expect(run(section)).toEqual(fbank(samples, { numMelBins: 80, sampleFrequency: 8000 }));
    expect(() => run({ toolkit: "onnx", model: { frontend_options: { num_mel_bin: 3 } } })).toThrow(/num_?mel_?bins/i);
  });

  it("change with the front end: the options of the one before do not count", () => {
    const { data, columns } = run({
      toolkit: "onnx",
      model: { frontend: "log_mel", frontend_options: { n_mels: 40 } },
    });
    expect(columns).toBe(40);
    expect(data.every(Number.isFinite)).toBe(true);
  });
});
