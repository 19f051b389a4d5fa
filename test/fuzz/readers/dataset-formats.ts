import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Dataset } from "../../../src/datasets/dataset.ts";
import { openHuggingFace } from "../../../src/datasets/open-hugging-face.ts";
import { openKaldi } from "../../../src/datasets/open-kaldi.ts";
import { openLhotse } from "../../../src/datasets/open-lhotse.ts";
import { openParquet } from "../../../src/datasets/open-parquet.ts";
import { openTar } from "../../../src/datasets/open-tar.ts";
import { kaldiCmvnMatrix, readKaldiCmvn } from "../../../src/formats/kaldi/cmvn-stats.ts";
import { encodeKaldiValue } from "../../../src/formats/kaldi/encode-ark-entry.ts";
import { tarEnd } from "../../../src/formats/tar/encode-tar-entry.ts";
import { encodeWebDatasetSample } from "../../../src/formats/tar/encode-web-dataset-sample.ts";
import { type Reader, WrongValue } from "../reader.ts";
import { webDataset } from "./archives.ts";
import { parquet } from "./parquet.ts";

/** Some rows forwards, the last ones again, and ids. */
async function readAll<Row>(
  opened: Promise<Dataset<Row>>,
  look: (row: Row) => unknown = () => undefined,
): Promise<unknown> {
  const data = await opened;
  try {
    const count = Math.min(data.length, 100);
    for (let i = 0; i < count; i++) await look(await data.at(i));
    for (let i = count - 1; i >= 0; i -= 7)
      if (typeof (await data.id(i)) !== "string") throw new WrongValue("an id that is no text");
    return data.length;
  } finally {
    await data.close();
  }
}

/** The file of a case within a folder of its own name. */
function inFolder(path: string, name: string, bytes: Uint8Array): string {
  const folder = join(dirname(path), "damaged.bin.folder");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  return folder;
}

export const parquetDataset: Reader = {
  ...parquet,
  covers: ["openParquet"],
  read: (input) => readAll(openParquet(input.file())),
};

const samples = [0, 1, 2].map((n) => encodeWebDatasetSample({ __key__: `s${n}`, txt: `text ${n}`, json: { n } }));

export const tarDataset: Reader = {
  ...webDataset,
  covers: ["openTar"],
  seeds: () => [Buffer.concat([...samples, tarEnd])],
  read: (input) => readAll(openTar(input.file(), input.random.chance(0.5) ? { decode: true } : {})),
};

const segments = "a-1 r1 0 1.5\na-2 r1 1.5 2.25\nb-1 r2 0.5 -1\n";

export const kaldiDataset: Reader = {
  covers: ["openKaldi"],
  isText: true,
  seeds: () => [Buffer.from(segments)],
  read: (input) => {
    const folder = inFolder(input.file(), "segments", input.bytes);
    writeFileSync(join(folder, "wav.scp"), "r1 r1.wav\nr2 sph2pipe x.sph |\n");
    return readAll(openKaldi(folder), (row) => JSON.stringify(row));
  },
};

const recording = {
  id: "r",
  sources: [{ type: "memory", channels: [0], source: "" }],
  sampling_rate: 8000,
  num_samples: 8000,
  duration: 1,
};
const cuts = [0, 1].map((n) => ({
  id: `c${n}`,
  start: 0.1 * n,
  duration: 0.5,
  channel: 0,
  supervisions: [{ id: `s${n}`, recording_id: "r", start: 0, duration: 0.5, channel: 0, text: "a" }],
  recording,
  type: "MonoCut",
}));
const lines = (rows: readonly object[]): Buffer => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

export const lhotseDataset: Reader = {
  covers: ["openLhotse"],
  isText: true,
  seeds: () => [
    lines(cuts),
    lines([recording]),
    lines(cuts.flatMap(({ supervisions }) => supervisions)),
    gzipSync(lines(cuts)),
  ],
  read: (input) => readAll(openLhotse(input.file()), (row) => row.text),
};

const card = `---
configs:
- config_name: default
  data_files:
  - split: train
    path: train.jsonl
  - split: test
    path:
    - "*.jsonl"
---
# A card
`;

export const huggingFaceDataset: Reader = {
  covers: ["openHuggingFace"],
  isText: true,
  seeds: () => [Buffer.from(card), Buffer.from("# none\n")],
  codes: ["BAD_FILE", "BAD_OPTION"],
  read: (input) => {
    const folder = inFolder(input.file(), "README.md", input.bytes);
    writeFileSync(join(folder, "train.jsonl"), '{"n":1}\n');
    return readAll(openHuggingFace(folder, { split: "train" }));
  },
};

export const kaldiCmvn: Reader = {
  covers: ["readKaldiCmvn"],
  seeds: () => [cmvn(false), cmvn(true)],
  read: (input) => {
    const { count } = readKaldiCmvn(input.file());
    if (!(count > 0)) throw new WrongValue("statistics of no frames");
  },
};

function cmvn(text: boolean): Uint8Array {
  return encodeKaldiValue(kaldiCmvnMatrix({ sum: [1, 2], sumSquare: [3, 4], count: 5 }), { text });
}
