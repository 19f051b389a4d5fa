import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openScp, readNpy, readParquetFile, readScp } from "../../../../src/formats.ts";
import type { Cleaner } from "../../../../src/recipes/prep/clean/make-cleaner.ts";
import { formatDropTable } from "../../../../src/recipes/prep/outputs/count-rules.ts";
import type { PrepConfig, PrepSection } from "../../../../src/recipes/prep/prep-config.ts";
import { PrepProvider } from "../../../../src/recipes/prep/prep-provider.ts";
import { PrepRunner } from "../../../../src/recipes/prep/prep-runner.ts";
import { prepareData } from "../../../../src/recipes/prep/prepare-data.ts";
import { encodeWav, fbank, readAudio } from "../../../../src/speech.ts";
import { sharedIsAbsent, sharedPath } from "../../../support/shared-path.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

interface Row {
  readonly id: string;
  readonly text?: string;
  readonly speaker?: string;
  readonly seconds?: number;
  readonly gain?: number;
  readonly bytes?: Uint8Array;
}

/** Half a second of silence around a tone. */
function sound({ seconds = 1, gain = 0.3 }: Row): Float32Array {
  return Float32Array.from({ length: Math.round((seconds + 1) * 16_000) }, (_, i) => {
    const t = i / 16_000 - 0.5;
    const wave = gain * Math.sin(2 * Math.PI * 300 * t) * (1 + 0.5 * Math.sin(2 * Math.PI * 3 * t));
    return Math.max(-1, Math.min(1, t >= 0 && t < seconds ? wave : 1e-5 * Math.sin(i * i)));
  });
}

function makeCorpus(rows: readonly Row[]): string {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "wav"));
  const lines = rows.map((row, i) => {
    writeFileSync(join(dir, "wav", `${i}.wav`), row.bytes ?? encodeWav(sound(row), { sampleRate: 16_000 }));
    return [row.id, `wav/${i}.wav`, row.text ?? "Some Words.", row.speaker ?? "ann"].join("\t");
  });
  writeFileSync(join(dir, "raw.tsv"), `${lines.join("\n")}\n`);
  return dir;
}

async function prepare(dir: string, section: Partial<PrepSection> = {}) {
  const output = join(dir, "out");
  const summary = await prepareData({ prep: { manifest: join(dir, "raw.tsv"), output_dir: output, ...section } });
  return { summary, text: (name: string) => readFileSync(join(output, name), "utf8"), output };
}

describe("preparing data", () => {
  it("keeps what is good, and lists what is dropped with its rule", async () => {
    const dir = makeCorpus([
      { id: "ann-1" },
      { id: "ann-2", text: "take 3" },
      { id: "ann-3", gain: 0 },
      { id: "ann-4", seconds: 0.05 },
      { id: "ann-5", gain: 5 },
      { id: "ann-6", text: "..." },
      { id: "ann-7", bytes: Buffer.from("<html>not found</html>") },
      { id: "ann-8", gain: 0.004 },
    ]);
    const { summary, text } = await prepare(dir, {
      text: { case: "lower", remove: ".", allowed: "a-z " },
      drop: { min_db: -50, min_seconds: 0.4 },
    });
    expect(
      text("dropped.tsv")
        .split("\n")
        .map((line) => line.split("\t").slice(0, 2).join(" ")),
    ).toEqual([
      "utt_id rule",
      "ann-2 bad_characters",
      "ann-3 no_speech",
      "ann-4 too_short",
      "ann-5 clipped",
      "ann-6 empty_text",
      "ann-7 unreadable",
      "ann-8 too_quiet",
      "",
    ]);
    expect(text("manifest.tsv")).toBe(`ann-1\t${join(dir, "wav/0.wav")}\tsome words\tann\n`);
    expect(summary).toMatchObject({ utterances: 8, kept: 1, dropped: 7, failed: 0, speakers: 1, kaldiProblems: [] });
    expect(summary.rules.every(({ utterances }) => utterances === 1)).toBe(true);
    expect(JSON.parse(text("stats.json"))).toMatchObject({ kept: 1, dropped: 7 });
    expect(formatDropTable(summary).split("\n").slice(0, 3)).toEqual([
      "rule              utterances    share       audio",
      "kept (1 speaker)           1   12.5 %       1.2 s",
      "unreadable                 1   12.5 %       0.0 s",
    ]);
  });

  it("says by segments what of each file counts, where the audio is not written", async () => {
    const { text } = await prepare(makeCorpus([{ id: "ann-1" }]), { audio: { trim: { pad_ms: 0 } } });
    const [, recording, start, end] = text("kaldi/segments").trim().split(" ");
    expect(recording).toBe("ann-1");
    expect(Number(start)).toBeCloseTo(0.5, 1);
    expect(Number(end)).toBeCloseTo(1.5, 1);
    expect(text("kaldi/utt2dur")).toBe(`ann-1 ${Number((Number(end) - Number(start)).toFixed(6))}\n`);
  });

  it("has no segments where nothing is trimmed", async () => {
    const { output } = await prepare(makeCorpus([{ id: "ann-1" }]), { audio: { trim: false } });
    expect(existsSync(join(output, "kaldi/segments"))).toBe(false);
  });

  it("writes the trimmed audio, and features that are those of it", async () => {
    const dir = makeCorpus([{ id: "ann-1" }, { id: "ann-2", seconds: 2 }]);
    const { text, output, summary } = await prepare(dir, { audio: { write: true } });
    expect(existsSync(join(output, "kaldi/segments"))).toBe(false);
    expect(text("manifest.tsv").split("\t")[1]).toMatch(/^split\.\d\/data_wav\/ann-1\.wav$/);
    const scp = openScp(join(output, "kaldi/feats.scp"));
    const wavs = readScp(join(output, "kaldi/wav.scp"));
    for (const id of ["ann-1", "ann-2"]) {
      const { samples, sampleRate } = await readAudio(wavs.get(id)!);
      expect(sampleRate).toBe(16_000);
      const found = scp.get(id);
      const expected = fbank(samples);
      expect(found.shape).toEqual([expected.rows, expected.columns]);
      // The features are of the samples before they were rounded to 16 bits.
      const differences = expected.data.map((value, i) => Math.abs(value - Number(found.data[i])));
      expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThan(0.3);
    }
    scp.close();
    expect(summary.seconds.trimmed).toBeGreaterThan(1);
  });

  it("writes MFCC as npy files, normalised", async () => {
    const { output } = await prepare(makeCorpus([{ id: "ann/1" }]), {
      features: { type: "mfcc", options: { num_ceps: 13 }, format: "npy", cmvn: "mean_var" },
    });
    const path = readScp(join(output, "feats.scp")).get("ann/1")!;
    expect(path).toMatch(/ann=2f1\.npy$/);
    const { shape, data } = readNpy(path);
    expect(shape[1]).toBe(13);
    const column = Array.from({ length: shape[0]! }, (_, row) => Number(data[row * 13 + 2]));
    expect(column.reduce((sum, value) => sum + value, 0) / column.length).toBeCloseTo(0, 4);
  });

  it("can leave features out", async () => {
    const { output, summary } = await prepare(makeCorpus([{ id: "ann-1" }]), { features: { type: "none" } });
    expect(readdirSync(join(output, "kaldi")).sort()).toEqual([
      "segments",
      "spk2utt",
      "text",
      "utt2dur",
      "utt2spk",
      "wav.scp",
    ]);
    expect(summary.kaldiProblems).toEqual([]);
  });

  it("makes ids that Kaldi can sort, and names files safely, whatever the ids are", async () => {
    const dir = makeCorpus([
      { id: "../../etc/passwd", speaker: "zoe" },
      { id: "😀", speaker: "ann" },
      { id: "\uff5e", speaker: "ann" },
      { id: "CON", speaker: "漢字" },
      { id: "a=b|c", speaker: "" },
    ]);
    const { summary, output, text } = await prepare(dir, { audio: { write: true }, kaldi: { paths: "relative" } });
    expect(summary).toMatchObject({ kept: 5, speakers: 4, kaldiProblems: [] });
    expect(text("kaldi/utt2spk")).toBe(
      "a=b|c-a=b|c a=b|c\nann-\uff5e ann\nann-😀 ann\nzoe-../../etc/passwd zoe\n漢字-CON 漢字\n",
    );
    for (const path of readScp(join(output, "kaldi/wav.scp")).values()) {
      expect(path).toMatch(/split\.\d+\/data_wav\/[\w.=-]+\.wav$/);
      expect(existsSync(path)).toBe(true);
    }
  });

  it("says what Kaldi will not take where the ids are to stay", async () => {
    const dir = makeCorpus([
      { id: "1", speaker: "bob" },
      { id: "2", speaker: "ann" },
    ]);
    const { summary } = await prepare(dir, { kaldi: { speaker_prefix: false } });
    expect(summary.kaldiProblems.map(({ file, line }) => `${file}:${line}`)).toContain("utt2spk:2");
  });

  it("drops texts that no table could hold, and still lists them", async () => {
    const dir = makeCorpus([{ id: "ann-1", text: "a\rb" }, { id: "ann-2", text: "a\u0000b" }, { id: "ann-3" }]);
    const { summary, text } = await prepare(dir);
    expect(summary).toMatchObject({ kept: 2, dropped: 1 });
    expect(text("kaldi/text")).toBe("ann-1 a b\nann-3 Some Words.\n");
    expect(text("dropped.tsv").split("\n")[1]).toMatch(/^ann-2\tbad_characters\tU\+0000\t/);
  });

  it("keeps empty texts where they are allowed, and leaves Kaldi's text out where there is none", async () => {
    const dir = makeCorpus([{ id: "ann-1", text: "" }]);
    const { summary, output } = await prepare(dir, { drop: { empty_text: false } });
    expect(summary).toMatchObject({ kept: 1, kaldiProblems: [] });
    expect(existsSync(join(output, "kaldi/text"))).toBe(false);
  });

  it("makes a Parquet dataset that holds the audio", async () => {
    const dir = makeCorpus([{ id: "ann-1" }, { id: "ann-2" }]);
    const { output, summary } = await prepare(dir, {
      audio: { write: true },
      dataset: { title: "Test", license: "cc0-1.0", language: ["en"], split: "test" },
    });
    const path = join(summary.datasetDir!, "data/test-00000-of-00001.parquet");
    const wavs = readScp(join(output, "kaldi/wav.scp"));
    const rows: Record<string, unknown>[] = [];
    for await (const row of readParquetFile(path)) rows.push(row);
    expect(rows.map(({ utt_id }) => utt_id)).toEqual(["ann-1", "ann-2"]);
    for (const { utt_id, audio, sample_rate } of rows) {
      expect(Buffer.from(audio as Uint8Array).equals(readFileSync(wavs.get(utt_id as string)!))).toBe(true);
      expect(sample_rate).toBe(16_000);
    }
    expect(readFileSync(join(summary.datasetDir!, "README.md"), "utf8")).toMatch(/license: cc0-1\.0[\s\S]*# Test/);
  });

  it("makes a JSONL dataset with the audio beside it", async () => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    const { output } = await prepare(dir, { audio: { write: true }, dataset: { format: "jsonl" } });
    const row = JSON.parse(readFileSync(join(output, "dataset/data/train.jsonl"), "utf8")) as Record<string, string>;
    expect(row).toMatchObject({ utt_id: "ann-1", audio: "audio/ann-1.wav", speaker_id: "ann" });
    expect((await readAudio(join(output, "dataset", row["audio"]!))).sampleRate).toBe(16_000);
  });

  it("leaves a dataset alone that is up to date: its card may have been edited", async () => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    const { output } = await prepare(dir, { dataset: {} });
    writeFileSync(join(output, "dataset/README.md"), "mine");
    await prepare(dir, { dataset: {} });
    expect(readFileSync(join(output, "dataset/README.md"), "utf8")).toBe("mine");
  });

  it("does not touch a folder of that name that it has not made", async () => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    mkdirSync(join(dir, "out/dataset"), { recursive: true });
    writeFileSync(join(dir, "out/dataset/precious"), "");
    await expect(prepare(dir, { dataset: {} })).rejects.toMatchObject({ code: "MERGE_FAILED" });
    expect(readdirSync(join(dir, "out/dataset"))).toEqual(["precious"]);
  });

  it("gives the same files with batches", async () => {
    const dir = makeCorpus(Array.from({ length: 5 }, (_, i) => ({ id: `ann-${i}`, gain: i === 2 ? 0 : 0.3 })));
    const config = {
      prep: { manifest: join(dir, "raw.tsv"), output_dir: join(dir, "a"), kaldi: { paths: "relative" } },
    } as const;
    await prepareData(config);
    await prepareData({ prep: { ...config.prep, output_dir: join(dir, "b") } }, { batchSize: 3 });
    for (const name of ["manifest.tsv", "dropped.tsv", "stats.json", "kaldi/utt2num_frames"])
      expect(readFileSync(join(dir, "b", name), "utf8")).toBe(readFileSync(join(dir, "a", name), "utf8"));
  });

  it("fails with the id where a file is missing, and lists it where failures are skipped", async () => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    writeFileSync(join(dir, "raw.tsv"), `ghost\tno/such.wav\tx\tann\n${readFileSync(join(dir, "raw.tsv"), "utf8")}`);
    const config = { prep: { manifest: join(dir, "raw.tsv"), output_dir: join(dir, "out") } };
    await expect(prepareData(config)).rejects.toThrow(/ghost: .*no\/such\.wav/);
    const summary = await prepareData(config, { onError: "skip" });
    expect(summary).toMatchObject({ kept: 1, dropped: 0, failed: 1, utterances: 2 });
    expect(readFileSync(summary.droppedList, "utf8")).toMatch(/^ghost\tfailed\t/m);
  });

  it("does not continue with another manifest", async () => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    await prepare(dir);
    writeFileSync(join(dir, "raw.tsv"), readFileSync(join(dir, "raw.tsv"), "utf8").replace("Some", "Other"));
    await expect(prepare(dir)).rejects.toMatchObject({ code: "RUN_CHANGED" });
  });

  it("takes a cleaner of its own from a subclass of the provider", async () => {
    class StrictProvider extends PrepProvider {
      static override buildCleaner(config: PrepConfig): Cleaner {
        const cleaner = super.buildCleaner(config);
        const judgeText = (text: string) =>
          text.includes("um") ? { rule: "filler", detail: "um" } : cleaner.judgeText(text);
        return { ...cleaner, judgeText };
      }
    }
    const dir = makeCorpus([{ id: "ann-1", text: "um yes" }, { id: "ann-2" }]);
    const provider = new StrictProvider({ prep: { manifest: join(dir, "raw.tsv"), output_dir: join(dir, "out") } });
    const summary = await new PrepRunner(provider, { outputDir: join(dir, "out") }).run([0, 1]);
    expect(summary).toMatchObject({ kept: 1, rules: [{ rule: "filler", utterances: 1 }] });
  });

  it("can drop everything, and then says that Kaldi needs more", async () => {
    const { summary } = await prepare(makeCorpus([{ id: "ann-1", gain: 0 }]), { dataset: {}, audio: { write: true } });
    expect(summary).toMatchObject({ kept: 0, dropped: 1 });
    expect(summary.kaldiProblems[0]).toMatchObject({ file: "utt2spk", message: "is empty" });
  });
});

describe("a config", () => {
  const config = (prep: object) => ({ prep: { manifest: "m.tsv", output_dir: "out", ...prep } });
  it.each<[what: string, config: object, problem: RegExp]>([
    ["without a section", {}, /prep is missing/],
    ["with a key that is none", config({ drops: {} }), /prep\.drops is not known[\s\S]*Did you mean drop\?/],
    ["with a text for a number", config({ drop: { min_seconds: "1" } }), /prep\.drop\.min_seconds/],
    ["with features that there are not", config({ features: { type: "plp" } }), /prep\.features\.type/],
  ])("%s is refused", async (_what, broken, problem) => {
    await expect(prepareData(broken as never)).rejects.toThrow(problem);
  });

  it.each<[what: string, section: Partial<PrepSection>, problem: RegExp]>([
    ["options that fbank has not", { features: { options: { bins: 80 } } }, /bins/],
    ["another rate than the audio has", { features: { options: { sample_frequency: 8000 } } }, /the audio has 16000/],
    ["characters that are none", { text: { allowed: "a-z]" } }, /prep\.text\.allowed/],
  ])("is refused with %s before anything runs", async (_what, section, problem) => {
    const dir = makeCorpus([{ id: "ann-1" }]);
    await expect(prepare(dir, section)).rejects.toThrow(problem);
    expect(existsSync(join(dir, "out"))).toBe(false);
  });
});

const odd = sharedPath("data", "odd", "manifests", "all_odd.tsv");

describe.skipIf(odd === undefined)(`odd audio (skipped where ${sharedIsAbsent})`, () => {
  it("is kept or dropped as its kind deserves, and none of it stops the run", async () => {
    const output_dir = temporaryFolder();
    const config = { manifest: odd!, output_dir, drop: { empty_text: false }, kaldi: { blanks: "_" } };
    const summary = await prepareData({ prep: config }, { onError: "skip" });
    expect(summary).toMatchObject({ failed: 1, utterances: 42, kaldiProblems: [] });
    const ruleOf = new Map(
      readFileSync(summary.droppedList, "utf8")
        .split("\n")
        .map((line) => line.split("\t").slice(0, 2) as [string, string]),
    );
    expect(Object.fromEntries(ruleOf)).toMatchObject({
      "missing.wav": "failed",
      "silence_3s.wav": "no_speech",
      "ten_ms.wav": "too_short",
      "one_sample.wav": "too_short",
      "clipped.wav": "clipped",
      "a_directory.wav": "unreadable",
      "all_nan_float32.wav": "unreadable",
      "git_lfs_pointer.wav": "unreadable",
      "truncated_data.wav": "unreadable",
    });
    expect([...ruleOf.keys()]).not.toContain("flac_named.wav");
  });
});
