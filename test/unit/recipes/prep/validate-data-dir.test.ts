import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ValidateDataDirOptions, validateDataDir } from "../../../../src/recipes/prep/kaldi/validate-data-dir.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const sound = {
  utt2spk: "a-1 a\na-2 a\nb-1 b\n",
  spk2utt: "a a-1 a-2\nb b-1\n",
  text: "a-1 one\na-2 two three\nb-1 four\n",
  "wav.scp": "a-1 x.wav\na-2 y z.wav\nb-1 sox x -t wav - |\n",
  "feats.scp": "a-1 f.ark:4\na-2 f.ark:99\nb-1 f.ark:200\n",
  utt2dur: "a-1 1.5\na-2 2\nb-1 0.25\n",
  utt2num_frames: "a-1 148\na-2 198\nb-1 23\n",
};
type Files = Readonly<Record<string, string | undefined>>;

function check(files: Files, options: ValidateDataDirOptions = {}): string[] {
  const dir = join(temporaryFolder(), "data");
  mkdirSync(dir);
  for (const [name, text] of Object.entries({ ...sound, ...files }))
    if (text !== undefined) writeFileSync(join(dir, name), text);
  return validateDataDir(dir, options).map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe("a data folder", () => {
  it("passes when it is sound", () => {
    expect(check({})).toEqual([]);
  });

  it("passes with segments, whose recordings are those of wav.scp", () => {
    expect(check({ segments: "a-1 r1 0 1.5\na-2 r1 2 4\nb-1 r2 0 0.25\n", "wav.scp": "r1 x.wav\nr2 y.wav\n" })).toEqual(
      [],
    );
  });

  it.each<[what: string, files: Files, problem: string]>([
    ["no utt2spk", { utt2spk: undefined }, "utt2spk:0: is not there"],
    ["no text", { text: undefined }, "text:0: is not there"],
    ["no wav.scp", { "wav.scp": undefined }, "wav.scp:0: is not there"],
    ["no feats.scp", { "feats.scp": undefined }, "feats.scp:0: is not there"],
    ["an empty list", { text: "" }, "text:0: is empty"],
    ["no line break at the end", { text: "a-1 one\na-2 two\nb-1 x" }, "text:0: does not end with a line break"],
    [
      "another order",
      { text: "a-2 x\na-1 x\nb-1 x\n" },
      "text:2: a-1 comes after a-2; lines are sorted by their bytes (LC_ALL=C sort)",
    ],
    ["a key twice", { text: "a-1 x\na-1 x\na-2 x\nb-1 x\n" }, "text:2: a-1 comes twice"],
    ["a key too few", { text: "a-1 x\nb-1 x\n" }, "text:0: a-2 of utt2spk is missing"],
    ["a key too many", { utt2dur: "a-1 1\na-2 1\na-3 1\nb-1 1\n" }, "utt2dur:3: a-3 is not in utt2spk"],
    ["no words", { text: "a-1\na-2 x\nb-1 x\n" }, "text:1: a-1 has no words"],
    [
      "an odd blank",
      { text: "a-1 x\u00a0y\na-2 x\nb-1 x\n" },
      "text:1: a-1 holds a blank that is neither a space nor a tab",
    ],
    ["a symbol of Kaldi's", { text: "a-1 x </s>\na-2 x\nb-1 x\n" }, "text:1: a-1 holds </s>, which is Kaldi's own"],
    [
      "a tilde",
      { "wav.scp": "a-1 ~/x.wav\na-2 x\nb-1 x\n" },
      "wav.scp:1: a-1 has a path with ~, which only a shell understands",
    ],
    ["no path", { "feats.scp": "a-1\na-2 x\nb-1 x\n" }, "feats.scp:1: a-1 has no file"],
    ["a third column", { utt2spk: "a-1 a x\na-2 a\nb-1 b\n" }, "utt2spk:1: a-1 has 2 values, not 1"],
    ["other speakers", { spk2utt: "a a-1\nb a-2 b-1\n" }, "spk2utt:2: a-2 is of a in utt2spk, not of b"],
    ["a speaker without utterances", { spk2utt: "a a-1 a-2\nb b-1\nc\n" }, "spk2utt:3: c has no utterances"],
    ["utterances without a speaker", { spk2utt: "a a-1 a-2\n" }, "spk2utt:0: b-1 of b is missing"],
    ["utterances in another order", { spk2utt: "a a-2 a-1\nb b-1\n" }, "spk2utt:0: lists a-2 where utt2spk has a-1"],
    ["no duration", { utt2dur: "a-1 0\na-2 1\nb-1 1\n" }, 'utt2dur:1: a-1 has "0"'],
    ["half a frame", { utt2num_frames: "a-1 1.5\na-2 1\nb-1 1\n" }, 'utt2num_frames:1: a-1 has "1.5"'],
    [
      "a segment that ends before it starts",
      { segments: "a-1 a-1 2 1\na-2 a-2 0 1\nb-1 b-1 0 1\n" },
      'segments:1: a-1 has no "recording start end"',
    ],
    [
      "a recording too many",
      { segments: "a-1 a-1 0 1\na-2 a-1 0 1\nb-1 b-1 0 1\n" },
      "wav.scp:2: a-2 is not in segments",
    ],
    [
      "speakers that are not the beginning of ids",
      { utt2spk: "a-1 z\na-2 z\nb-1 b\n", spk2utt: "b b-1\nz a-1 a-2\n" },
      "utt2spk:3: b-1 of b comes after one of z; speakers should be the beginning of their ids",
    ],
  ])("finds %s", (_what, files, problem) => {
    expect(check(files)).toContain(problem);
  });

  it("may lack what is said to be left out, but what is there is checked", () => {
    const none = { text: undefined, "feats.scp": undefined, "wav.scp": undefined };
    expect(check(none, { noText: true, noFeats: true, noWav: true })).toEqual([]);
    expect(check({ text: "a-1 x\n" }, { noText: true })).toHaveLength(2);
    expect(check({ text: "a-1\na-2 x\nb-1 x\n" }, { emptyText: true })).toEqual([]);
  });

  it("sorts as bytes do, not as UTF-16", () => {
    const ids = ["\uff5e", "😀"];
    const list = (value: string) => ids.map((id) => `${id} ${value}\n`).join("");
    const speakers = ids.map((id) => `${id} ${id}\n`).join("");
    const files = {
      utt2spk: speakers,
      spk2utt: speakers,
      text: list("x"),
      "wav.scp": list("x"),
      "feats.scp": list("x"),
    };
    expect(check({ ...files, utt2dur: list("1"), utt2num_frames: list("1") })).toEqual([]);
  });
});
