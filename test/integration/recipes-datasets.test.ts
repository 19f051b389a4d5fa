// Each recipe gives the same output from a manifest and from a dataset of the same corpus.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { loadConfig, type RunnerOptions, readFailures } from "millrace";
import { openKaldi } from "millrace/datasets";
import {
  type CollectStatsOptions,
  checkXVectors,
  collectStats,
  extractXVectors,
  infer,
  type PrepConfig,
  prepareData,
  type XVectorConfig,
} from "millrace/recipes";
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { emptyFolder, makeProject } from "../support/cli/project.ts";
import { type CorpusForm, corpusForms } from "../support/recipes/corpus-forms.ts";
import { makeVoices } from "../support/recipes/voices.ts";
import { sharedIsAbsent, sharedPath } from "../support/shared-path.ts";

const quiet = { progress: false } as const;
const names = ["JSONL", "a Kaldi folder", "cuts of Lhotse", "an audio folder of Hugging Face", "Parquet with audio"];

let manifest: string;
let forms: readonly CorpusForm[];
beforeAll(async () => {
  const folder = emptyFolder();
  manifest = makeVoices(folder, { speakers: 2, utterances: 3 });
  forms = await corpusForms(manifest, join(folder, "forms"));
});

function form(name: string): CorpusForm {
  return forms.find((one) => one.name === name)!;
}

/** A config as a user has it: a YAML file in a project. */
async function inYaml<T>(content: object, extra: Readonly<Record<string, string>> = {}): Promise<T> {
  const { path } = makeProject();
  for (const [name, text] of Object.entries(extra)) writeFileSync(path(name), text);
  writeFileSync(path("conf.yaml"), stringify(content));
  return (await loadConfig(path("conf.yaml"))) as T;
}

/** The files below a folder by name; not those of the run itself. */
function contentOf(folder: string, isWanted: (name: string) => boolean): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile() && isWanted(name))
    .sort();
  return Object.fromEntries(files.map((name) => [relative("", name), readFileSync(join(folder, name), "base64")]));
}

async function vectors(given: CorpusForm | string, options: RunnerOptions<number | readonly number[]> = {}) {
  const save_path = emptyFolder();
  const source = typeof given === "string" ? { manifest_paths: { train: given } } : sourceOf(given);
  const config = await inYaml<XVectorConfig>({
    xvector: { toolkit: "builtin", save_path, report: false, ...source },
  });
  const [summary] = await extractXVectors(config, { ...quiet, ...options });
  expect(summary).toMatchObject({ failed: 0, failures: undefined });
  return contentOf(join(save_path, "spk_embed"), (name) => !name.startsWith("runs"));
}

function sourceOf({ section, columns }: CorpusForm) {
  return { manifest_paths: { train: section }, ...(columns !== undefined && { columns }) };
}

describe("x-vectors", () => {
  let expected: Record<string, string>;
  beforeAll(async () => {
    expected = await vectors(manifest);
    expect(Object.keys(expected)).toHaveLength(6 + 2 + 1);
  });

  it.each(names)("are the same from %s", async (name) => {
    expect(await vectors(form(name))).toEqual(expected);
  });

  it("are the same from workers of their own", async () => {
    const options = { parallel: { env: "process", n_workers: 2 } } as const;
    expect(await vectors(form("a Kaldi folder"), options)).toEqual(expected);
  });

  it("are checked before, with the rows that cannot be used", async () => {
    const { section } = form("JSONL");
    const lines = readFileSync(section.path, "utf8").split("\n");
    const path = join(emptyFolder(), "bad.jsonl");
    writeFileSync(path, [lines[0], lines[0], '{"utt_id":"c","text":"no audio"}', lines[1], ""].join("\n"));
    const bad = { name: "bad", section: { ...section, path } };
    await expect(vectors(bad)).rejects.toThrow(
      /bad\.jsonl:2: its id "s0-u0" is already in row 1[\s\S]*bad\.jsonl:3: .*row 2 has no audio/,
    );
    const config = await inYaml<XVectorConfig>({
      xvector: { toolkit: "builtin", save_path: emptyFolder(), ...sourceOf(bad) },
    });
    const { splits, dimension } = await checkXVectors(config);
    expect([splits[0]!.problems.map(({ line }) => line), dimension]).toEqual([[2, 3], 46]);
  });

  it("name a failed utterance by its id", async () => {
    const { section } = form("JSONL");
    const path = join(emptyFolder(), "missing.jsonl");
    writeFileSync(path, `${readFileSync(section.path, "utf8")}{"utt_id":"gone","wav_path":"gone.wav"}\n`);
    const save_path = emptyFolder();
    const source = sourceOf({ name: "missing", section: { ...section, path } });
    const config = await inYaml<XVectorConfig>({ xvector: { toolkit: "builtin", save_path, ...source } });
    const [summary] = await extractXVectors(config, { ...quiet, onError: "skip", maxFailures: 1 });
    expect(readFileSync(summary!.failures!, "utf8")).toMatch(/^gone\t7\tBAD_AUDIO\t.*gone\.wav\t/m);
    const runDir = join(save_path, "spk_embed", "runs", "train");
    expect([...readFailures(runDir)].map(({ id }) => id)).toEqual(["gone"]);
  });
});

describe("data preparation", () => {
  async function prepare(given: CorpusForm | string, options: RunnerOptions<number | readonly number[]> = {}) {
    const output_dir = emptyFolder();
    const source =
      typeof given === "string" ? { manifest: given } : { manifest: given.section, columns: given.columns };
    const config = await inYaml<PrepConfig>({
      prep: { ...source, output_dir, audio: { write: true }, kaldi: { paths: "relative" } },
    });
    const summary = await prepareData(config, { ...quiet, shards: 3, ...options });
    expect(summary).toMatchObject({ kept: 6, failed: 0, kaldiProblems: [] });
    // The shards hold the path that the manifest has for a file.
    return contentOf(output_dir, (name) => /^(?:manifest\.tsv|stats\.json|kaldi\/.*)$|\.(?:wav|ark)$/.test(name));
  }
  let expected: Record<string, string>;
  beforeAll(async () => {
    expected = await prepare(manifest);
    expect(Object.keys(expected).filter((name) => name.endsWith(".wav"))).toHaveLength(6);
  });

  it.each(names)("is the same from %s", async (name) => {
    const given = form(name);
    expect(await prepare({ ...given, columns: given.columns ?? {} })).toEqual(expected);
  });

  it("is the same from workers of their own", async () => {
    const options = { parallel: { env: "process", n_workers: 2 } } as const;
    expect(await prepare({ ...form("cuts of Lhotse"), columns: {} }, options)).toEqual(expected);
  });

  it("lists files where audio is not written, and refuses rows that are none", async () => {
    const prep = (given: CorpusForm) =>
      inYaml<PrepConfig>({ prep: { manifest: given.section, output_dir: emptyFolder() } });
    const { manifest: written } = await prepareData(await prep(form("JSONL")), quiet);
    expect(readFileSync(written, "utf8")).toMatch(/^s0-u0\t\/.*s0-u0\.wav\tsome words\ts0$/m);
    await expect(prepareData(await prep(form("Parquet with audio")), quiet)).rejects.toThrow(
      /row 0: its audio .* is no file of its own.*audio\.write: true/,
    );
  });

  const speech = sharedPath("data", "speech", "manifest.tsv");
  it.skipIf(speech === undefined)(
    `is the same of real speech in a Kaldi folder, with segments (${sharedIsAbsent})`,
    async () => {
      const folder = emptyFolder();
      const few = join(folder, "few.tsv");
      const rows = readFileSync(speech!, "utf8").split("\n").slice(0, 6);
      const absolute = rows.map((line) => line.replace("\twav/", `\t${join(speech!, "..", "wav")}/`));
      writeFileSync(few, `${absolute.join("\n")}\n`);
      const given = (await corpusForms(few, join(folder, "forms"))).find(({ name }) => name === "a Kaldi folder")!;
      // The whole of each recording as a segment: the same samples, by another way.
      const segments = rows.map((line) => line.split("\t")[0]!).map((id) => `${id} ${id} 0 -1\n`);
      writeFileSync(join(given.section.path, "segments"), segments.join(""));
      expect(await prepare({ ...given, columns: {} })).toEqual(await prepare(few));
    },
  );
});

const decoder = `import { openJsonl } from "millrace/datasets";
export const readAll = async ({ path }) => {
  const rows = [];
  for await (const row of await openJsonl(path)) rows.push(row);
  return rows;
};
export const makeModel = () => ({ text }) =>
  Array.isArray(text) ? text.map((one) => ({ hyp: one.toUpperCase() })) : { hyp: text.toUpperCase() };
`;

describe("inference", () => {
  async function decode(dataset: object, more: object = {}) {
    const inference_dir = emptyFolder();
    const config = await inYaml<object>(
      {
        inference_dir,
        dataset: { test: [{ name: "test", dataset }] },
        model: { _target_: "./asr.js#makeModel" },
        input_key: "text",
        output_keys: "hyp",
        ...more,
      },
      { "asr.js": decoder },
    );
    const { test } = await infer(config, quiet);
    const { fingerprint } = JSON.parse(readFileSync(join(inference_dir, "test", "manifest.json"), "utf8")) as {
      fingerprint: { dataset?: string };
    };
    return { hyp: readFileSync(test!.scp["hyp"]!, "utf8"), digest: fingerprint.dataset };
  }

  it.each(["JSONL", "a Kaldi folder", "cuts of Lhotse", "Parquet with audio"])("is the same from %s", async (name) => {
    const { section } = form(name);
    const held = await decode({ _target_: "./asr.js#readAll", path: form("JSONL").section.path });
    expect(held.hyp).toMatch(/^s0-u0 SOME WORDS$/m);
    const read = await decode(section);
    expect(read.hyp).toBe(held.hyp);
    // The rows are part of the run's identity.
    expect([held.digest, read.digest]).toEqual([undefined, expect.any(String)]);
    expect((await decode(section, { batch_size: 4 })).hyp).toBe(held.hyp);
  });
});

const stats = `import { fbank, readAudio } from "millrace/speech";
import { readTsv } from "millrace/formats";
import { commonCollateFn } from "millrace/recipes";
import { dirname, join } from "node:path";
const columns = ["utt_id", "wav_path", "text", "speaker_id"];
export const ofManifest = ({ path }) =>
  readTsv(path, { columns }).map(({ utt_id, wav_path }) => {
    const file = join(dirname(path), wav_path);
    return [utt_id, { readAudio: () => readAudio(file), wav_path: file }];
  });
export const makeCollate = () => async (samples) => {
  const read = async (row) => (await (row.readAudio?.() ?? readAudio(row.wav_path))).samples;
  const sounds = await Promise.all(samples.map(async ([uid, row]) => [uid, { speech: await read(row) }]));
  return commonCollateFn()(sounds);
};
export class Model {
  collectFeats({ speech, speech_lengths }) {
    const [count, longest] = speech.shape;
    const cut = (i) => speech.data.subarray(i * longest, i * longest + speech_lengths.data[i]);
    return { feats: Array.from({ length: count }, (_, i) => fbank(cut(i))) };
  }
}
`;

describe("statistics", () => {
  async function collect(
    dataset: NonNullable<CollectStatsOptions["dataset"]>,
    projectRoot: string,
    env: "local" | "process" = "local",
  ) {
    const outputDir = emptyFolder();
    await collectStats({
      ...quiet,
      ...{ outputDir, projectRoot, dataset, mode: "train", batchSize: 2 },
      model: { _target_: "./stats.js#Model" },
      dataLoader: { collate_fn: { _target_: "./stats.js#makeCollate" } },
      parallel: { env, n_workers: env === "local" ? 1 : 2 },
    });
    return contentOf(join(outputDir, "train"), (name) => /^[a-z_]+(?:_stats\.npz|_shape)$/.test(name));
  }

  it("are the same from a manifest and from datasets", async () => {
    const { path } = makeProject();
    writeFileSync(path("stats.js"), stats);
    const expected = await collect({ _target_: "./stats.js#ofManifest", path: manifest }, path("."));
    expect(Object.keys(expected)).toEqual(["feats_shape", "feats_stats.npz"]);
    for (const name of ["JSONL", "a Kaldi folder", "cuts of Lhotse"])
      expect(await collect(form(name).section, path(".")), name).toEqual(expected);
    expect(await collect(form("JSONL").section, path("."), "process")).toEqual(expected);
    await using open = await openKaldi(form("a Kaldi folder").section.path);
    expect(await collect(open, path("."))).toEqual(expected);
    expect(open.at(0).id).toBe("s0-u0");
  });
});

describe("rows that come over a network (remote: true)", () => {
  // Each read waits until others are open, or long enough to know that none will be.
  const opener = `
import { dirname, resolve } from "node:path";
import { openTsv } from "millrace/datasets";
import { readAudio } from "millrace/speech";
export async function openRemote({ path }) {
  const rows = await openTsv(path, { columns: ["utt_id", "wav_path", "text", "speaker_id"], id: "utt_id" });
  const read = async (wav, options) => {
    const { reads } = globalThis;
    reads.most = Math.max(reads.most, ++reads.open);
    for (let i = 0; i < 20 && reads.most < 4; i++) await new Promise((next) => setTimeout(next, 10));
    reads.open--;
    return readAudio(resolve(dirname(path), wav), options);
  };
  return rows.map(({ wav_path, ...row }) => ({ ...row, readAudio: (options) => read(wav_path, options) }));
}
export const openSamples = async (options) =>
  (await openRemote(options)).map(async ({ utt_id, readAudio: read }) => ({ utt_id, speech: (await read({})).samples }));
export const makeModel = () => ({ speech }) => ({ size: speech.length });
`;
  const files = { "remote.mjs": opener };
  const section = (isRemote: boolean, name = "openRemote") => ({
    _target_: `./remote.mjs#${name}`,
    path: manifest,
    remote: isRemote,
  });
  /** How many reads of a recipe were open at the same time. */
  async function maxOpen(run: () => Promise<unknown>): Promise<number> {
    const reads = { open: 0, most: 0 };
    Object.assign(globalThis, { reads });
    await run();
    return reads.most;
  }

  const recipes: Readonly<Record<string, (isRemote: boolean, options: RunnerOptions) => Promise<unknown>>> = {
    "x-vectors": async (isRemote, options) => {
      const xvector = { toolkit: "builtin", save_path: emptyFolder(), report: false };
      const content = { xvector: { ...xvector, manifest_paths: { train: section(isRemote) } } };
      return extractXVectors(await inYaml<XVectorConfig>(content, files), { ...quiet, ...options } as typeof quiet);
    },
    "data preparation": async (isRemote, options) => {
      const prep = { manifest: section(isRemote), output_dir: emptyFolder(), audio: { write: true } };
      return prepareData(await inYaml<PrepConfig>({ prep }, files), { ...quiet, ...options } as typeof quiet);
    },
    inference: async (isRemote, options) => {
      const test = [{ name: "test", dataset: section(isRemote, "openSamples") }];
      const model = { _target_: "./remote.mjs#makeModel" };
      const content = { dataset: { test }, model, inference_dir: emptyFolder(), input_key: "speech" };
      return infer(await inYaml<object>(content, files), { ...quiet, ...options } as typeof quiet);
    },
  };

  it.each(Object.entries(recipes))("are read while others are computed, unless that is set: %s", async (_name, run) => {
    expect(await maxOpen(() => run(true, { shards: 1 }))).toBe(4);
    expect(await maxOpen(() => run(true, { shards: 1, concurrency: 1 }))).toBe(1);
    expect(await maxOpen(() => run(false, { shards: 1 }))).toBe(1);
  });
});
