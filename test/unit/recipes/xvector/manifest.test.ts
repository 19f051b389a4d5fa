import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findManifestProblems, requireSound } from "../../../../src/recipes/xvector/check-manifest.ts";
import { Manifest, readManifest } from "../../../../src/recipes/xvector/manifest.ts";
import { sharedIsAbsent, sharedPath } from "../../../support/shared-path.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function manifestOf(text: string | Buffer, path = "/data/list/train.tsv"): Manifest {
  return new Manifest(path, Buffer.from(text));
}

function rowsOf(manifest: Manifest) {
  return Array.from({ length: manifest.length }, (_, idx) => manifest.at(idx));
}

describe("a manifest", () => {
  it("has paths relative to its own folder, and absolute ones", () => {
    const rows = rowsOf(manifestOf("a\t../wav/a.wav\tone\ts1\nb\t/wav/b.wav\ttwo\ts2\n"));
    expect(rows).toEqual([
      { id: "a", path: "/data/wav/a.wav", text: "one", speaker: "s1", line: 1 },
      { id: "b", path: "/wav/b.wav", text: "two", speaker: "s2", line: 2 },
    ]);
  });

  it("is a list of pairs too, as ESPnet3's: id and path by index, and one after the other", () => {
    const manifest = manifestOf("a\t../wav/a.wav\tone\ts1\nb\t/wav/b.wav\ttwo\ts2\n");
    const [id, path] = manifest[1]!;
    expect([id, path]).toEqual(["b", "/wav/b.wav"]);
    expect([...manifest]).toEqual([
      ["a", "/data/wav/a.wav"],
      ["b", "/wav/b.wav"],
    ]);
    expect([manifest[2], manifest[-1], Reflect.get(manifest, "01"), Reflect.get(manifest, "none")]).toEqual(
      Array(4).fill(undefined),
    );
    expect(String(manifest)).toBe("[object Object]");
  });

  it("may end its lines with CRLF, begin with a BOM, and lack the last line end", () => {
    const plain = rowsOf(manifestOf("é\ta.wav\t漢\ts1\nb\tb.wav\t\ts2\n"));
    expect(rowsOf(manifestOf("\ufeffé\ta.wav\t漢\ts1\r\nb\tb.wav\t\ts2"))).toEqual(plain);
    expect(plain[0]).toMatchObject({ id: "é", speaker: "s1" });
  });

  it("keeps the numbers of its lines across blank ones", () => {
    expect(rowsOf(manifestOf("\n\na\ta.wav\t\t\n\n  \r\nb\tb.wav\t\t\n")).map(({ line }) => line)).toEqual([3, 6]);
  });

  it("may have a header, which names its columns in any order, and more of them", () => {
    const manifest = manifestOf("utt_id\tlang\tspeaker_id\twav_path\na\ten\ts1\ta.wav\n");
    expect(rowsOf(manifest)).toEqual([{ id: "a", path: "/data/list/a.wav", text: "", speaker: "s1", line: 2 }]);
    expect(findManifestProblems(manifest)).toEqual([]);
  });

  it("has a digest that knows ids, paths, speakers and their order, but not texts", () => {
    const digest = manifestOf("a\ta.wav\tx\ts\nb\tb.wav\ty\ts\n").digest();
    expect(manifestOf("a\ta.wav\tother\ts\nb\tb.wav\ty\ts\n").digest()).toBe(digest);
    expect(manifestOf("b\tb.wav\ty\ts\na\ta.wav\tx\ts\n").digest()).not.toBe(digest);
    expect(manifestOf("a\ta.wav\tx\tt\nb\tb.wav\ty\ts\n").digest()).not.toBe(digest);
  });

  it("that is not there is an error that names it", () => {
    expect(() => readManifest("no/such.tsv")).toThrowError(expect.objectContaining({ code: "BAD_FILE" }));
  });
});

describe("findManifestProblems", () => {
  it("lists everything that is wrong, each with its line", () => {
    const text = Buffer.concat([
      Buffer.from("a\ta.wav\tx\ts\n\nb\tb.wav\tx\na\tc.wav\tx\ts\n\t\tx\ts\nd\td.wav\tx\ts\textra\ncaf"),
      Buffer.from([0xe9]),
      Buffer.from("\te.wav\t\t\n"),
    ]);
    expect(findManifestProblems(manifestOf(text))).toEqual([
      { line: 3, message: "it has 3 columns, not 4 (utt_id, wav_path, text, speaker_id)" },
      { line: 4, message: 'its utt_id "a" is already in line 1' },
      { line: 5, message: "its utt_id is empty" },
      { line: 5, message: "its wav_path is empty" },
      { line: 6, message: "it has 5 columns, not 4 (utt_id, wav_path, text, speaker_id)" },
      { line: 7, message: "it is not UTF-8; save the file in that encoding" },
    ]);
  });

  it("looks for the audio files where it is asked to", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "dir.wav"));
    writeFileSync(join(folder, "there.wav"), "x");
    writeFileSync(join(folder, "empty.wav"), "");
    const names = ["there", "missing", "dir", "empty"];
    const manifest = manifestOf(names.map((name) => `${name}\t${name}.wav\t\t\n`).join(""), join(folder, "m.tsv"));
    expect(findManifestProblems(manifest, { files: true })).toEqual([
      { line: 2, message: `there is no file ${join(folder, "missing.wav")}` },
      { line: 3, message: `${join(folder, "dir.wav")} is not a file` },
      { line: 4, message: `${join(folder, "empty.wav")} is empty` },
    ]);
  });

  it("says so where there are no utterances, or the header lacks a column", () => {
    expect(findManifestProblems(manifestOf(""))).toEqual([{ line: 0, message: "it has no utterances" }]);
    expect(findManifestProblems(manifestOf("utt_id\tpath\na\tb\n"))).toEqual([
      { line: 1, message: "the header has no column wav_path" },
    ]);
  });

  it("becomes one error with the first twenty of them before a run", async () => {
    const manifest = manifestOf("x\ty\n".repeat(30));
    await expect(requireSound(manifest)).rejects.toThrowError(
      expect.objectContaining({
        code: "BAD_FILE",
        message: expect.stringMatching(/train\.tsv:1: it has 2 columns[\s\S]*train\.tsv:20: [\s\S]*… and 10 more/),
      }),
    );
  });
});

const odd = sharedPath("data", "odd", "manifests");

describe.skipIf(odd === undefined)(
  `the odd manifests${odd === undefined ? ` (skipped: ${sharedIsAbsent})` : ""}`,
  () => {
    const problemsOf = (name: string) => findManifestProblems(readManifest(join(odd!, name)), { files: true });

    it.each(["good_5", "crlf", "utf8_bom", "blank_lines", "no_final_newline", "empty_text_and_speaker"])(
      "%s.tsv has five good rows",
      (name) => {
        expect(problemsOf(`${name}.tsv`)).toEqual([]);
        expect(rowsOf(readManifest(join(odd!, `${name}.tsv`))).map(({ id }) => id)).toEqual(
          [0, 1, 2, 3, 4].map((i) => `1688-142285-000${i}`),
        );
      },
    );

    it.each([
      ["duplicate_id", [6]],
      ["three_columns", [1, 2, 3, 4, 5]],
      ["five_columns", [1, 2, 3, 4, 5]],
      ["missing_file", [6]],
      ["empty", [0]],
      // Its encoding, and its file.
      ["latin1_bytes", [6, 6]],
      ["path_traversal_id", []],
    ])("%s.tsv has problems in lines %j", (name, lines) => {
      expect(problemsOf(`${name}.tsv`).map(({ line }) => line)).toEqual(lines);
    });
  },
);
