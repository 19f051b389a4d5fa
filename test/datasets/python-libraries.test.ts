import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { openHuggingFace, openKaldi, openLhotse, openParquet, openTar } from "millrace/datasets";
import { datasetCard, openWebDatasetWriter, writeKaldiCmvn, writeParquetFile } from "millrace/formats";
import { shareDataset } from "millrace/recipes";

import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { askLibrary, plain, python, skipReason } from "./libraries.ts";

type Rows = Record<string, unknown>[];

async function rowsOf(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const row of rows) list.push(plain(row));
  return list;
}

/** Samples as float32 of whole 16-bit numbers. */
const whole = (samples: ArrayLike<number>): number[] => Array.from(samples, (sample) => Math.round(sample * 32768));

describe.skipIf(python === undefined)(`datasets beside the real libraries${skipReason}`, () => {
  it("reads what pyarrow writes, with every codec and page version", async () => {
    const folder = temporaryFolder();
    const expected = askLibrary<Rows>("write", "parquet", folder);
    for (const name of ["none", "snappy", "gzip", "brotli"].flatMap((codec) => [`${codec}-1.0`, `${codec}-2.0`])) {
      const rows = await openParquet(join(folder, `${name}.parquet`), { id: "id" });
      const keys = Object.keys(await rows.at(0));
      const wanted = expected.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));
      expect(await rowsOf(rows), name).toEqual(wanted);
      expect(plain(await rows.get([4, 0, 3])), name).toEqual([wanted[4], wanted[0], wanted[3]]);
      expect(keys.length).toBeGreaterThan(10);
      expect(await rows.id(3)).toBe("d");
      await rows.close();
    }
  });

  it("writes Parquet that pyarrow reads", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "own.parquet");
    const rows = [0, 1, 2].map((i) => ({ id: `u${i}`, n: BigInt(i), v: [i, i + 0.5], b: new Uint8Array([i]) }));
    const columns = [
      { name: "id", type: "string" },
      { name: "n", type: "int64" },
      { name: "v", type: "list<float32>" },
      { name: "b", type: "binary" },
    ] as const;
    await writeParquetFile(path, rows, { columns, rowsPerGroup: 2 });
    expect(askLibrary("read", "parquet", path)).toEqual(plain(rows));
  });

  it("reads what webdataset writes, and the other way round", async () => {
    const folder = temporaryFolder();
    const expected = askLibrary<Rows>("write", "tar", folder);
    await using samples = await openTar(join(folder, "shard.tar"));
    expect(await rowsOf(samples)).toEqual(expected);
    expect([...samples.ids]).toEqual(expected.map((row) => row["__key__"]));
    expect(plain(samples.at(5))).toEqual(expected[5]);
    const writer = openWebDatasetWriter(folder, { prefix: "own" });
    for await (const sample of samples) writer.write(sample);
    writer.close();
    expect(askLibrary("read", "tar", join(folder, "own-000000.tar"))).toEqual(expected);
  });

  it("reads a Kaldi folder as kaldiio does, and writes statistics that it reads", async () => {
    const folder = temporaryFolder();
    const expected = askLibrary<{ id: string; text: string; speaker: string; samples: number[]; feats: number[] }[]>(
      "write",
      "kaldi",
      folder,
    );
    await using utterances = await openKaldi(folder);
    expect(utterances.length).toBe(expected.length);
    for (const [i, row] of expected.entries()) {
      const utterance = utterances.at(i);
      expect(utterance).toMatchObject({ id: row.id, text: row.text, speaker: row.speaker });
      expect(whole((await utterance.readAudio()).samples)).toEqual(whole(row.samples));
      expect(Array.from(utterance.readFeatures().data)).toEqual(row.feats);
    }
    const path = join(folder, "cmvn");
    writeKaldiCmvn(path, { sum: [1.5, -2], sumSquare: [3, 4.25], count: 7 });
    expect(askLibrary("read", "cmvn", path)).toEqual([
      [1.5, -2, 7],
      [3, 4.25, 0],
    ]);
  });

  it("reads the manifests and Shar folders of Lhotse, sample for sample", async () => {
    const folder = temporaryFolder();
    const expected = askLibrary<{ id: string; text: string; speaker: string; samples: number[] }[]>(
      "write",
      "lhotse",
      folder,
    );
    for (const name of ["cuts.jsonl", "cuts-packed.jsonl.gz", "shar", "supervisions.jsonl.gz"]) {
      await using rows = await openLhotse(join(folder, name));
      expect([...rows.ids], name).toEqual(expected.map(({ id }) => id));
      for (const [i, row] of expected.entries()) {
        const cut = rows.at(i);
        expect({ text: cut.text, speaker: cut.supervisions[0]?.speaker }, name).toEqual({
          text: row.text,
          speaker: row.speaker,
        });
        expect(whole((await cut.readAudio()).samples), `${name} ${row.id}`).toEqual(whole(row.samples));
      }
    }
    await using recordings = await openLhotse(join(folder, "recordings.jsonl.gz"));
    expect((await recordings.at(1).readChannels()).map(({ samples }) => samples.length)).toEqual([16000, 16000]);
  });

  it("reads what the datasets library writes: Parquet with Audio, and an audiofolder", async () => {
    const folder = temporaryFolder();
    const { hub, audio } = askLibrary<{ hub: Record<string, Rows>; audio: { name: string; text: string }[] }>(
      "write",
      "hugging_face",
      folder,
    );
    for (const [split, expected] of Object.entries(hub)) {
      await using rows = await openHuggingFace(join(folder, "hub"), { split });
      expect(await rowsOf(rows), split).toEqual(expected);
    }
    await using clips = await openHuggingFace<{ audio: { path: string }; text: string }>(join(folder, "audio"));
    const rows = await clips.get([0, 1, 2]);
    expect(rows.map((row) => ({ name: basename(row.audio.path), text: row.text }))).toEqual(audio);
  });

  it("shares a dataset that the datasets library loads, and opens it again", async () => {
    const folder = temporaryFolder();
    const source = join(folder, "made");
    mkdirSync(join(source, "data"), { recursive: true });
    const columns = [
      { name: "id", type: "string" },
      { name: "n", type: "int64" },
    ] as const;
    const splits = [];
    const expected: Record<string, { id: string; n: number }[]> = {};
    for (const name of ["train", "test"]) {
      const rows = [0, 1, 2].map((i) => ({ id: `${name}${i}`, n: i }));
      const { rows: count, sizeBytes } = await writeParquetFile(join(source, "data", `${name}.parquet`), rows, {
        columns,
      });
      splits.push({ name, files: `data/${name}.parquet`, rows: count, sizeBytes });
      expected[name] = rows;
    }
    const shared = join(folder, "shared");
    await shareDataset(
      source,
      { folder: shared },
      { card: datasetCard({ title: "made", configs: [{ splits, columns }] }) },
    );
    expect(askLibrary("read", "hugging_face", shared)).toEqual(expected);
    await using test = await openHuggingFace(shared, { split: "test", id: "id" });
    expect(await rowsOf(test)).toEqual(expected["test"]);
  });
});
