import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeNpy, ndArray } from "../../../../src/formats.ts";
import type { ArtifactWriter } from "../../../../src/recipes/inference/artifact-writer.ts";
import type { CheckedInferenceOptions } from "../../../../src/recipes/inference/inference-options.ts";
import { InferenceWriter } from "../../../../src/recipes/inference/inference-writer.ts";
import { readAudio } from "../../../../src/speech.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const usual: CheckedInferenceOptions = {
  inputKey: "speech",
  idxKey: "utt_id",
  hypKey: "hyp",
  refKey: [],
  modelKwargs: {},
  outputArtifacts: {},
};

type Given = { value: unknown; id: string; key: string; outputPath: string; gain?: number };

/** What users' writers do: return the bytes, write a file and return its path, or something wrong. */
const calls: Readonly<Record<string, (given: Given) => unknown>> = {
  shout: ({ value, id, key }) => Buffer.from(`${value}! ${id} ${key}`),
  file: ({ value, outputPath, gain = 1 }) => {
    writeFileSync(`${outputPath}.gain`, `${value} x${gain}`);
    return `${outputPath}.gain`;
  },
  text: () => "hello",
  elsewhere: ({ outputPath }) => {
    const path = join(outputPath, "..", "fixed.bin");
    writeFileSync(path, "");
    return path;
  },
  nothing: () => undefined,
};

function open(options: Partial<CheckedInferenceOptions> = {}, shardDir = temporaryFolder()) {
  const writers = new Map<string, ArtifactWriter>();
  for (const [key, { writer }] of Object.entries(options.outputArtifacts ?? {})) {
    if (writer === undefined) continue;
    const { _target_: target, ...given } = typeof writer === "string" ? { _target_: writer } : writer;
    writers.set(key, { target, call: calls[target.replace("./w.js#", "")] as ArtifactWriter["call"], options: given });
  }
  const writer = new InferenceWriter({ shardDir, shardId: 3, options: { ...usual, ...options }, writers });
  return { writer, shardDir, text: (name: string) => readFileSync(join(shardDir, name), "utf8") };
}

describe("the outputs of a shard", () => {
  it("are lines for texts, numbers and truth values", async () => {
    const { writer, text } = open({ hypKey: ["hyp", "n"] });
    await writer.write({ utt_id: "a", hyp: "one\ntwo", n: 1.5, ok: true, none: undefined });
    await writer.write({ utt_id: 7, hyp: "", n: ndArray("int64", BigInt64Array.of(9n), []) });
    await writer.write({ utt_id: 8, hyp: "", n: ndArray("float16", Uint16Array.of(0x3e00), []) });
    writer.close();
    expect(text("hyp.scp")).toBe("a one\\ntwo\n7 \n8 \n");
    expect(text("n.scp")).toBe("a 1.5\n7 9\n8 1.5\n");
    expect(text("ok.scp")).toBe("a true\n");
    expect(writer.keys).toEqual(["hyp", "n", "ok"]);
  });

  it("are files for arrays, audio and objects, which the lines point at from the run folder", async () => {
    const { writer, shardDir, text } = open({ hypKey: [] });
    await writer.write({
      utt_id: "../a/ö",
      feats: ndArray("float32", Float32Array.of(1, 2, 3, 4), [2, 2]),
      vector: Float64Array.of(0.5),
      audio: { samples: Float32Array.of(0, 0.5), sampleRate: 8000 },
      nbest: { scores: Float32Array.of(1, 2), texts: ["x"] },
    });
    writer.close();
    const name = "=2e.=2fa=2f=c3=b6";
    expect(text("feats.scp")).toBe(`../a/ö split.3/feats/${name}.npy\n`);
    expect(text("nbest.scp")).toBe(`../a/ö split.3/nbest/${name}.json\n`);
    expect(decodeNpy(readFileSync(join(shardDir, "feats", `${name}.npy`)))).toMatchObject({
      dtype: "float32",
      shape: [2, 2],
    });
    expect(decodeNpy(readFileSync(join(shardDir, "vector", `${name}.npy`)))).toMatchObject({
      dtype: "float64",
      shape: [1],
    });
    expect(text(`nbest/${name}.json`)).toBe('{"scores":[1,2],"texts":["x"]}\n');
    const { sampleRate, samples } = await readAudio(join(shardDir, "audio", `${name}.wav`));
    expect([sampleRate, ...samples]).toEqual([8000, 0, 0.5]);
  });

  it("are written as outputArtifacts say", async () => {
    const { writer, shardDir, text } = open({
      hypKey: [],
      outputKeys: ["wave", "hyp", "list", "raw", "own"],
      outputArtifacts: {
        wave: { type: "wav", sample_rate: 16000, encoding: "float32" },
        hyp: { type: "text", extension: ".trn" },
        list: { type: "json" },
        raw: { type: "bytes", extension: ".flac" },
        own: { writer: "./w.js#shout", extension: ".loud" },
      },
    });
    const wave = Float32Array.of(0.1, 0.2);
    await writer.write({
      utt_id: "a",
      wave,
      hyp: "x\ny",
      list: [1],
      raw: Buffer.from("r"),
      own: "o",
      other: new Map(),
    });
    writer.close();
    expect((await readAudio(join(shardDir, "wave/a.wav"))).samples).toEqual(wave);
    expect(text("hyp/a.trn")).toBe("x\ny");
    expect(text("list/a.json")).toBe("[1]\n");
    expect(text("raw/a.flac")).toBe("r");
    expect(text("own/a.loud")).toBe("o! a own");
    expect(existsSync(join(shardDir, "other.scp"))).toBe(false);
  });

  it.each<[string, unknown, Partial<CheckedInferenceOptions>]>([
    ['The output of an item is "hello"; an object was expected.', "hello", {}],
    ["The output of an item is a list of 1; an object was expected.", [{}], {}],
    ["The output of an item is a Float32Array; an object was expected.", new Float32Array(1), {}],
    ['The output of an item has no "utt_id", "hyp".', { text: "x" }, {}],
    ['The output of an item has no "ref".', { utt_id: "a", hyp: "x" }, { refKey: "ref" }],
    ['The output of an item has no "b".', { utt_id: "a", hyp: "x" }, { outputKeys: ["hyp", "b"] }],
    ["The output of a has nothing but its id.", { utt_id: "a" }, { hypKey: [] }],
    ['"utt_id" must be a single value, not a list of 2.', { utt_id: ["a", "b"], hyp: "x" }, {}],
    ['"hyp" of a is a list of 2: a list has no place in an scp file.', { utt_id: "a", hyp: ["x", "y"] }, {}],
    ['"hyp" of a is null: it has no form in a file.', { utt_id: "a", hyp: null }, {}],
    ['"hyp" of a is a Map: it has no form in a file.', { utt_id: "a", hyp: new Map() }, {}],
    [
      '"hyp" of a is an object: it cannot be written as JSON: record.s is NaN.',
      { utt_id: "a", hyp: { s: Number.NaN } },
      {},
    ],
    ["record.m is a Map", { utt_id: "a", hyp: { m: new Map([[1, 2]]) } }, {}],
    ["record.gone is undefined", { utt_id: "a", hyp: { gone: undefined } }, {}],
    ['"hyp" of a is the number NaN', { utt_id: "a", hyp: Number.NaN }, {}],
    ['"hyp" of a is the number Infinity', { utt_id: "a", hyp: ndArray("float32", Float32Array.of(1 / 0), []) }, {}],
    ["it holds half a character", { utt_id: "a", hyp: "\ud800" }, { outputArtifacts: { hyp: { type: "text" } } }],
    ['The key "../x" of an output cannot be the name of an scp file.', { utt_id: "a", hyp: "", "../x": 1 }, {}],
    ['The key "done" of an output cannot be the name', { utt_id: "a", hyp: "", done: 1 }, {}],
    ['The key "nul" of an output cannot be the name', { utt_id: "a", hyp: "", nul: 1 }, {}],
    [
      "its sample rate is not known",
      { utt_id: "a", hyp: Float32Array.of(1) },
      { outputArtifacts: { hyp: { type: "wav" } } },
    ],
    ["samples in a Float32Array", { utt_id: "a", hyp: { samples: [1], sampleRate: 8 } }, {}],
    ["a sample is NaN", { utt_id: "a", hyp: { samples: Float32Array.of(Number.NaN), sampleRate: 8 } }, {}],
    [
      "needs 4 numbers, 1 are there",
      { utt_id: "a", hyp: { dtype: "float32", shape: [4], data: Float32Array.of(1) } },
      {},
    ],
  ])("are refused before anything is written: %s", async (message, output, options) => {
    const { writer, shardDir } = open(options);
    await expect(writer.write(output)).rejects.toMatchObject({ code: "BAD_RECORD", hint: expect.any(String) });
    await expect(writer.write(output)).rejects.toThrow(message);
    writer.close();
    expect(readdirSync(shardDir)).toEqual([]);
  });

  it("may be files that a writer of the user's wrote, with the options it has in the config", async () => {
    const writer = { _target_: "./w.js#file", gain: 3 };
    const options = { outputKeys: "hyp", outputArtifacts: { hyp: { writer } } };
    const shard = open(options);
    await shard.writer.write({ utt_id: "a/b", hyp: "x" });
    const checkpoint = JSON.parse(JSON.stringify(shard.writer.checkpoint()));
    shard.writer.close();
    expect(shard.text("hyp.scp")).toBe("a/b split.3/hyp/a=2fb.gain\n");
    expect(shard.text("hyp/a=2fb.gain")).toBe("x x3");
    const again = open(options, shard.shardDir);
    again.writer.restore(checkpoint);
    again.writer.close();
    const [file] = again.writer.files();
    expect(file).toEqual({ name: "hyp/a=2fb.gain", bytes: 4, crc32: crc32("x x3").toString(16).padStart(8, "0") });
  });

  it.each([
    ["text", 'gave "hello" for "hyp" of a: there is no such file.'],
    ["elsewhere", "a with an extension."],
    ["nothing", 'gave undefined for "hyp" of a.'],
  ])("are refused where a writer returns neither bytes nor the path of its file: %s", async (name, message) => {
    const { writer } = open({ outputArtifacts: { hyp: { writer: `./w.js#${name}` } } });
    await expect(writer.write({ utt_id: "a", hyp: "x" })).rejects.toThrow(message);
    writer.close();
  });

  it("leave no file of a writer behind where another value of the output is wrong", async () => {
    const { writer, shardDir } = open({ outputArtifacts: { hyp: { writer: "./w.js#file" } } });
    await expect(writer.write({ utt_id: "a", hyp: "x", odd: new Map() })).rejects.toThrow('"odd" of a is a Map');
    writer.close();
    expect(readdirSync(join(shardDir, "hyp"))).toEqual([]);
  });

  it("refuse an id that was there before, also before a checkpoint", async () => {
    const first = open();
    await first.writer.write({ utt_id: "a", hyp: "x", feats: Float32Array.of(1) });
    await expect(first.writer.write({ utt_id: "a", hyp: "y" })).rejects.toThrow('The id "a" has been there before.');
    const checkpoint = JSON.parse(JSON.stringify(first.writer.checkpoint()));
    first.writer.close();
    const second = open({}, first.shardDir);
    second.writer.restore(checkpoint);
    await expect(second.writer.write({ utt_id: "a", hyp: "y" })).rejects.toThrow('The id "a" has been there before.');
    await second.writer.write({ utt_id: "b", hyp: "y" });
    second.writer.close();
    expect(second.text("hyp.scp")).toBe("a x\nb y\n");
    expect(second.writer.files().map(({ name, lines }) => [name, lines])).toEqual([
      ["feats/a.npy", undefined],
      ["hyp.scp", 2],
      ["feats.scp", 1],
    ]);
  });

  it("name every file that counts in a checkpoint, with its digest", async () => {
    const { writer, shardDir } = open();
    await writer.write({ utt_id: "a", hyp: "x", feats: Float32Array.of(1) });
    const { files } = writer.checkpoint();
    for (const { name, bytes } of files) expect(readFileSync(join(shardDir, name)).length).toBe(bytes);
    expect(files.map(({ name, crc32 }) => [name, /^[0-9a-f]{8}$/.test(crc32 ?? "")])).toEqual([
      ["feats/a.npy", true],
      ["hyp.scp", true],
      ["feats.scp", true],
    ]);
    writer.close();
  });
});
