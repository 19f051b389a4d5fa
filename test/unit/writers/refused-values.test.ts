import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeJsonLine } from "../../../src/formats/lines/json-lines.ts";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { encodePt } from "../../../src/formats/pt/encode-pt.ts";
import type { PtInput } from "../../../src/formats/pt/pt-value.ts";
import { encodeSafetensors } from "../../../src/formats/safetensors/encode-safetensors.ts";
import { encodeWebDatasetSample } from "../../../src/formats/tar/encode-web-dataset-sample.ts";
import { decodeState, encodeState } from "../../../src/values/state-json.ts";
import { arkScpWriter } from "../../../src/writers/ark-scp-writer.ts";
import { npzWriter } from "../../../src/writers/npz-writer.ts";
import { parquetWriter } from "../../../src/writers/parquet-writer.ts";
import { safetensorsWriter } from "../../../src/writers/safetensors-writer.ts";
import { textWriter } from "../../../src/writers/text-writer.ts";
import { tsvWriter } from "../../../src/writers/tsv-writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const half = "\ud800";
const vector = ndArray("float32", Float32Array.of(1));
const noText = (value: unknown) => value as string;

/** What is thrown, to compare code, text and advice in one. */
function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return "nothing was thrown";
}

function badRecord(text: string) {
  return expect.objectContaining({
    code: "BAD_RECORD",
    message: expect.stringContaining(text),
    hint: expect.any(String),
  });
}

describe("a Parquet writer refuses", () => {
  const open = () =>
    parquetWriter(temporaryFolder(), {
      name: "t",
      columns: [
        { name: "speaker", type: "string", nullable: true },
        { name: "mean", type: "float32" },
        { name: "vector", type: "list<float32>" },
      ],
    });

  it("a key that is no column, which would be lost", () => {
    const row = { speeker: "ann", mean: 1, vector: [] };
    expect(thrownBy(() => open().write(row))).toEqual(badRecord('Row 0: there is no column "speeker"'));
    expect(thrownBy(() => open().write(row))).toMatchObject({ hint: expect.stringContaining("speaker") });
  });

  it("a number that would become infinite as a float32", () => {
    expect(thrownBy(() => open().write({ mean: 1e39, vector: [] }))).toEqual(badRecord('"mean" is 1e+39'));
    expect(thrownBy(() => open().write({ mean: 1, vector: [0, -1e39] }))).toEqual(badRecord('"vector"[1] is -1e+39'));
  });

  it("no NaN and no infinity, which floats have", () => {
    const row = { mean: Number.NaN, vector: [Number.POSITIVE_INFINITY] };
    expect(() => open().write(row)).not.toThrow();
  });
});

describe("a TSV writer refuses", () => {
  it("a key that is no column, which would be lost", () => {
    const writer = tsvWriter(temporaryFolder(), { name: "t", columns: ["utt", "text"] });
    const row = { utt: "a", text: "b", speaker: "c" } as { utt: string; text: string };
    expect(thrownBy(() => writer.write(row))).toEqual(badRecord('there is no column "speaker"'));
  });
});

describe("a text writer refuses", () => {
  it("half a character, which would become another one", () => {
    const writer = textWriter(temporaryFolder(), "text");
    expect(thrownBy(() => writer.write(`utt-1 ${half}`))).toEqual(badRecord("half a character"));
  });
});

describe("a JSON line refuses", () => {
  it("what JSON would lose, by its path", () => {
    expect(thrownBy(() => encodeJsonLine({ a: [new Map()] }))).toEqual(badRecord("record.a[0] is a Map"));
  });

  it("no typed array, which is an array", () => {
    expect(encodeJsonLine({ v: new Float32Array([0.5]) })).toBe('{"v":[0.5]}\n');
  });
});

describe("a WebDataset sample refuses", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["NaN as JSON", { json: { mean: [Number.NaN] } }, "json.mean[0] is NaN"],
    ["a Map as JSON", { "meta.json": new Map() }, '["meta.json"] is a Map'],
    ["NaN as a class", { cls: Number.NaN }, "NaN"],
    ["half a character", { txt: half }, "half a character"],
  ])("%s", (_what, files, text) => {
    expect(thrownBy(() => encodeWebDatasetSample({ __key__: "a", ...files }))).toEqual(badRecord(text));
  });
});

describe("an array of Kaldi, NumPy and safetensors refuses", () => {
  it("a record without an id", () => {
    const record = { id: noText(undefined), array: vector };
    const dir = temporaryFolder();
    expect(thrownBy(() => arkScpWriter(dir, { name: "a" }).write(record))).toEqual(badRecord("undefined"));
    expect(thrownBy(() => npzWriter(dir, { name: "a" }).write(record))).toEqual(badRecord("undefined"));
    expect(thrownBy(() => safetensorsWriter(dir, { name: "a" }).write(record))).toEqual(badRecord("undefined"));
  });

  it("an id that is a number, which would come back as a text", () => {
    const record = { id: noText(5), array: vector };
    const dir = temporaryFolder();
    expect(thrownBy(() => arkScpWriter(dir, { name: "a" }).write(record))).toEqual(badRecord("5"));
    expect(thrownBy(() => safetensorsWriter(dir, { name: "a" }).write(record))).toEqual(badRecord("5"));
  });

  it("metadata of safetensors that are no texts", () => {
    const metadata = { epoch: noText(5) };
    expect(thrownBy(() => encodeSafetensors([["a", vector]], { metadata }))).toEqual(badRecord('"epoch"'));
  });
});

describe("a .pt file refuses", () => {
  it.each<[string, PtInput, string]>([
    [
      "keys that are one in Python",
      new Map<number | boolean, number>([
        [1, 1],
        [true, 2],
      ]),
      "the keys 1 and true",
    ],
    [
      "a number and a bigint of one value as keys",
      new Map<number | bigint, number>([
        [2, 1],
        [2n, 2],
      ]),
      "the keys 2 and 2",
    ],
    ["half a character", { text: half }, "half a character"],
  ])("%s", (_what, value, text) => {
    expect(thrownBy(() => encodePt(value))).toEqual(badRecord(text));
  });
});

describe("a shard's state", () => {
  it("keeps a hole of an array as undefined", () => {
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is kept.
    const state = { list: [1, , 3] };
    expect(decodeState(encodeState(state))["list"]).toEqual([1, undefined, 3]);
  });
});

describe("what is written before a refusal", () => {
  it("stays as it was", () => {
    const dir = temporaryFolder();
    const writer = arkScpWriter(dir, { name: "a", text: true });
    writer.write({ id: "u1", array: vector });
    expect(() => writer.write({ id: noText(undefined), array: vector })).toThrow();
    writer.write({ id: "u2", array: vector });
    writer.close();
    expect(readFileSync(join(dir, "a.ark"), "utf8")).toBe("u1  [ 1 ]\nu2  [ 1 ]\n");
  });
});
