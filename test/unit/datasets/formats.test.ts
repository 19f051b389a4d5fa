import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { openHuggingFace } from "../../../src/datasets/open-hugging-face.ts";
import { openKaldi } from "../../../src/datasets/open-kaldi.ts";
import { openLhotse } from "../../../src/datasets/open-lhotse.ts";
import { openParquet } from "../../../src/datasets/open-parquet.ts";
import { openTar } from "../../../src/datasets/open-tar.ts";
import { readKaldiCmvn, writeKaldiCmvn } from "../../../src/formats/kaldi/cmvn-stats.ts";
import { writeParquetFile } from "../../../src/formats/parquet/parquet-file.ts";
import { encodeTarEntry, tarEnd } from "../../../src/formats/tar/encode-tar-entry.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const columns = [
  { name: "id", type: "string" },
  { name: "n", type: "int32" },
  { name: "v", type: "list<float32>" },
] as const;
const rows = Array.from({ length: 10 }, (_, n) => ({ id: `u${n}`, n, v: [n, n / 2] }));

describe("openParquet", () => {
  it("reads rows of any group, by columns, with ids and a small cache", async () => {
    const path = join(temporaryFolder(), "x.parquet");
    await writeParquetFile(path, rows, { columns, rowsPerGroup: 3 });
    await using all = await openParquet(path, { cacheBytes: 0 });
    expect(all.length).toBe(10);
    expect(await all.get([9, 0, 4, 9])).toEqual([rows[9], rows[0], rows[4], rows[9]]);
    await using some = await openParquet(path, { columns: ["n"], id: "id" });
    expect(await some.at(7)).toEqual({ n: 7 });
    expect(await some.id(7)).toBe("u7");
    expect(some.digest).toBe(all.digest);
    await expect(openParquet(path, { columns: ["nn"] })).rejects.toThrow(/has no column "nn".*Did you mean n\?/s);
  });

  it("refuses a truncated file with its offset", async () => {
    const path = join(temporaryFolder(), "x.parquet");
    writeFileSync(path, "PAR1 and no more than this");
    await expect(openParquet(path)).rejects.toThrow(/x\.parquet, offset \d+: a Parquet file ends with PAR1/);
  });
});

describe("openTar", () => {
  const archive = (names: readonly string[]): Buffer =>
    Buffer.concat([...names.map((name) => encodeTarEntry(name, Buffer.from(`in ${name}`))), tarEnd]);

  it("finds samples by their offset and keeps the index", async () => {
    const path = join(temporaryFolder(), "x.tar");
    writeFileSync(path, archive(["a.txt", "a.cls", "b.txt", "folder/c.TXT"]));
    for (let time = 0; time < 2; time++) {
      await using samples = await openTar(path, { decode: true });
      expect([...samples.ids]).toEqual(["a", "b", "folder/c"]);
      expect(samples.at(0)).toEqual({ __key__: "a", txt: "in a.txt", cls: "in a.cls" });
      expect(samples.at(2)).toEqual({ __key__: "folder/c", txt: "in folder/c.TXT" });
    }
  });

  it("refuses a torn archive and a compressed one, and reads a changed one again", async () => {
    const path = join(temporaryFolder(), "x.tar");
    writeFileSync(path, archive(["a.txt"]).subarray(0, 700));
    await expect(openTar(path)).rejects.toThrow(/x\.tar, offset \d+: /);
    writeFileSync(path, Buffer.from([0x1f, 0x8b, 8, 0]));
    await expect(openTar(path)).rejects.toThrow(/compressed with gzip/);
    writeFileSync(path, archive(["b.txt", "c.txt"]));
    await using samples = await openTar(path);
    expect(samples.length).toBe(2);
  });
});

describe("openKaldi", () => {
  const tone = encodeWav(
    Float32Array.from({ length: 800 }, (_, i) => (i % 100) / 128),
    { sampleRate: 8000 },
  );

  it("joins the tables and reads the samples of a segment", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "r.wav"), tone);
    writeFileSync(join(folder, "wav.scp"), "r r.wav\ns echo x |\n");
    writeFileSync(join(folder, "segments"), "r-1 r 0.01 0.05\nr-2 r 0.05 -1\ns-1 s 0 1\n");
    writeFileSync(join(folder, "text"), "r-2 two words\n");
    writeFileSync(join(folder, "utt2spk"), "r-1 A\nr-2 A\ns-1 B\n");
    await using data = await openKaldi(folder, { commands: ["cat"] });
    expect([...data.ids]).toEqual(["r-1", "r-2", "s-1"]);
    expect({ ...data.at(1) }).toEqual({
      id: "r-2",
      recording: "r",
      start: 0.05,
      text: "two words",
      speaker: "A",
      wav: "r.wav",
    });
    expect((await data.at(0).readAudio()).samples.length).toBe(320);
    expect((await data.at(1).readAudio()).samples.length).toBe(400);
    await expect(data.at(2).readAudio()).rejects.toThrow(/names the command "echo x ".*is not allowed/s);
  });

  it("refuses a line that is not UTF-8 instead of changing its letters", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wav.scp"), "a r.wav\nb r.wav\n");
    writeFileSync(join(folder, "text"), Buffer.from("a caf\u00e9\nb caf\u00e9\n", "latin1"));
    await using data = await openKaldi(folder);
    expect(() => data.at(1)).toThrow(/text, offset 7: row 1 is not UTF-8/);
  });

  it("runs an allowed command without a shell, and nothing else", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "r.wav"), tone);
    writeFileSync(
      join(folder, "wav.scp"),
      `a cat '${join(folder, "r.wav")}' |\nb cat r.wav; touch x |\nc cat $HOME |\n`,
    );
    await using data = await openKaldi(folder, { commands: ["cat"] });
    expect((await data.at(0).readAudio()).samples.length).toBe(800);
    await expect(data.at(1).readAudio()).rejects.toThrow(/needs a shell/);
    await expect(data.at(2).readAudio()).rejects.toThrow(/needs a shell/);
  });

  it.each([
    ["b x\na y\n", /wav\.scp, offset 4: the key "a" comes after "b"/],
    ["a x\na y\n", /offset 4: the key "a" comes twice/],
    ["a x\n y\n", /offset 4: a line begins with its key/],
  ])("refuses a table that is not sorted: %j", async (text, problem) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wav.scp"), text);
    await expect(openKaldi(folder)).rejects.toThrow(problem);
  });
});

describe("openLhotse", () => {
  it("refuses what it does not do: transforms, mixes, other sources", async () => {
    const path = join(temporaryFolder(), "cuts.jsonl");
    const recording = {
      id: "r",
      sources: [{ type: "command", channels: [0], source: "rm x" }],
      sampling_rate: 8000,
      num_samples: 1,
      duration: 1,
    };
    const cut = { id: "c", start: 0, duration: 1, channel: 0, supervisions: [], recording };
    const lines = [
      cut,
      { ...cut, recording: { ...recording, transforms: [{}] } },
      { id: "m", tracks: [] },
      { ...cut, channel: 3 },
    ];
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await using cuts = await openLhotse(path);
    await expect(cuts.at(0).readAudio()).rejects.toThrow(/row 0 \(c\) has audio of the type "command"/);
    await expect(cuts.at(1).readAudio()).rejects.toThrow(/transforms, which are not applied/);
    await expect(cuts.at(2).readAudio()).rejects.toThrow(/has no recording/);
    await expect(cuts.at(3).readAudio()).rejects.toThrow(/asks for channel 3/);
  });
});

describe("openHuggingFace", () => {
  it("follows the card: configs, splits and the order of files", async () => {
    const folder = temporaryFolder();
    for (const n of [2, 10])
      await writeParquetFile(join(folder, `p${n}.parquet`), [{ id: `f${n}`, n, v: [] }], { columns });
    writeFileSync(
      join(folder, "README.md"),
      "---\nconfigs:\n- config_name: a\n  default: true\n  data_files:\n  - split: train\n    path: [p2.parquet, p10.parquet]\n- config_name: b\n  data_files: data-*.parquet\n---\n",
    );
    await writeParquetFile(join(folder, "data-1.parquet"), rows, { columns });
    await using train = await openHuggingFace(folder, { id: "id" });
    expect([await train.id(0), await train.id(1)]).toEqual(["f2", "f10"]);
    await using other = await openHuggingFace(folder, { config: "b" });
    expect(other.length).toBe(rows.length);
    await expect(openHuggingFace(folder, { config: "c" })).rejects.toThrow(/has no config "c".*a, b/s);
    await expect(openHuggingFace(folder, { split: "test" })).rejects.toThrow(/has no split "test"/);
  });

  it("takes folders of media as rows with labels, and stays within the folder of metadata", async () => {
    const folder = temporaryFolder();
    for (const label of ["cat", "dog"]) {
      mkdirSync(join(folder, label));
      writeFileSync(join(folder, label, "1.wav"), "");
    }
    await using clips = await openHuggingFace(folder);
    expect(await clips.at(1)).toEqual({ audio: { bytes: null, path: join(folder, "dog/1.wav") }, label: "dog" });
    writeFileSync(join(folder, "metadata.csv"), "file_name\n../x.wav\n");
    await using listed = await openHuggingFace(folder);
    await expect(listed.get([0])).rejects.toThrow(/outside of its folder/);
  });
});

it("keeps statistics of a corpus as Kaldi does, in both of its forms", () => {
  for (const text of [false, true]) {
    const path = join(temporaryFolder(), "cmvn");
    const stats = { sum: Float64Array.of(1.5, -2), sumSquare: Float64Array.of(3, 4.25), count: 7 };
    writeKaldiCmvn(path, stats, { text });
    expect(readKaldiCmvn(path)).toEqual(stats);
  }
});
