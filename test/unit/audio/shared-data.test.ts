import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";
import { expectSameSamples } from "../../support/audio/same-samples.ts";
import { sharedIsAbsent, sharedPath } from "../../support/shared-path.ts";

const data = sharedPath("data");
const hasFfmpeg = spawnSync("ffprobe", ["-version"]).status === 0;

interface Row {
  readonly [column: string]: string;
}

/** The rows of a table with a header line; a row that says why there is none, where the data is absent. */
function rowsOf(path: string): Row[] {
  if (data === undefined) return [];
  const [header, ...lines] = readFileSync(join(data, path), "utf8").trimEnd().split("\n");
  const names = header!.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((value, i) => [names[i]!, value])));
}

/** What messages say, for each reason in the table of odd files. */
const messages: Readonly<Record<string, RegExp>> = {
  empty: / is empty \(0 bytes\)/,
  truncated: / is truncated/,
  no_samples: / holds no samples/,
  no_data_chunk: / no data chunk/,
  no_fmt_chunk: / no fmt chunk/,
  bad_magic:
    / first bytes are damaged| of another kind than WAVE| is text | an HTML page| git-lfs pointer| no known audio format/,
  bad_header: / has a header that says| has a fmt chunk of 8 bytes/,
  unsupported_bits: / holds 12-bit samples/,
  unsupported_codec: / unsupported codec \(format tag 0x1234/,
  non_finite: / is no finite number/,
  corrupt: / is corrupt FLAC: a wrong checksum/,
  not_a_file: / is a directory/,
  not_found: / does not exist/,
};
/** Decoded nevertheless: whether they are of use is for the model to say. */
const forModels = ["too_short", "silence"];

describe.skipIf(data === undefined)(`the formats${data === undefined ? `: ${sharedIsAbsent}` : ""}`, () => {
  const formats = rowsOf("speech/formats/expected.tsv");
  const isForeign = ({ file }: Row) => /\.(m4a|webm)$/.test(file!);

  it.for(formats)("give what is expected of $file", async (row, context) => {
    if (isForeign(row) && !hasFfmpeg) context.skip("ffmpeg is missing");
    const path = join(data!, "speech", "formats", row["file"]!);
    const audio = await readAudio(path, { channel: "all" });
    const found = {
      rate: audio.sampleRate,
      channels: audio.channels,
      frames: audio.samples.map(({ length }) => length),
    };
    const [rate, channels, frames] = [row["sample_rate"], row["channels"], row["frames"]].map(Number) as [
      number,
      number,
      number,
    ];
    expect(found).toEqual({ rate, channels, frames: Array.from({ length: channels }, () => frames) });
    expect(audio.warnings).toEqual([]);
    if (row["pcm_equals_367-130732-0000"] === "yes") {
      const original = await readAudio(join(data!, "speech", "wav", "367", "367-130732-0000.wav"), { channel: "all" });
      expectSameSamples(audio.samples[0]!, original.samples[0]!);
    }
  });

  it.each(formats.filter((row) => !isForeign(row)))("are recognised by probing $file", async (row) => {
    const info = await probeAudio(join(data!, "speech", "formats", row["file"]!));
    expect(info).toMatchObject({ sampleRate: Number(row["sample_rate"]), channels: Number(row["channels"]) });
    expect(info).toMatchObject({ frames: Number(row["frames"]), isExact: true });
  });
});

describe.skipIf(data === undefined)(`the odd files${data === undefined ? `: ${sharedIsAbsent}` : ""}`, () => {
  const rows = rowsOf("odd/expected.tsv");

  it.each(rows.filter(({ expect: kind, reason }) => kind === "refuse" && !forModels.includes(reason!)))(
    "make $file refused: $reason",
    async ({ file, reason }) => {
      const path = join(data!, "odd", file!);
      const refusal = await readAudio(path).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).toMatchObject({ code: "BAD_AUDIO", message: expect.stringMatching(messages[reason!]!) });
      expect((refusal as Error).message.startsWith(`${path} `)).toBe(true);
      expect((refusal as { hint?: string }).hint).toMatch(/\w/);
    },
  );

  it.each(rows.filter(({ expect: kind, reason }) => kind === "warn" && !forModels.includes(reason!)))(
    "make $file read with a warning: $reason",
    async ({ file, reason }) => {
      const { warnings } = await readAudio(join(data!, "odd", file!));
      expect(warnings.map(({ kind }) => kind)).toEqual([reason]);
    },
  );

  it.each(rows.filter(({ expect: kind, reason }) => /^ok|sniff/.test(kind!) || forModels.includes(reason!)))(
    "make $file read",
    async ({ file }) => {
      const { samples, warnings } = await readAudio(join(data!, "odd", file!));
      expect(samples.length).toBeGreaterThan(0);
      expect(warnings).toEqual([]);
    },
  );

  it("keep float samples beyond full scale", async () => {
    const { samples } = await readAudio(join(data!, "odd", "float32_out_of_range.wav"));
    expect(samples.some((sample) => Math.abs(sample) > 1)).toBe(true);
  });
});

describe.skipIf(data === undefined)(`the resampled signals${data === undefined ? `: ${sharedIsAbsent}` : ""}`, () => {
  const readIndex = () =>
    JSON.parse(readFileSync(join(data!, "reference/resample/index.json"), "utf8")) as { files: object };
  const files = data === undefined ? [] : Object.keys(readIndex().files);
  const cases = files.flatMap((file) => [
    { file, quality: "standard", reference: "torchaudio_default" } as const,
    { file, quality: "best", reference: "torchaudio_kaiser_best" } as const,
  ]);

  // torchaudio computes its filters in single precision, which is where the difference comes from.
  it.each(cases)("of $file are torchaudio's, quality $quality", async ({ file, quality, reference }) => {
    const { samples } = await readAudio(join(data!, "speech", "formats", file), { sampleRate: 16_000, quality });
    const expected = readNpy(join(data!, "reference", "resample", file.replace(".wav", `_to16k.${reference}.npy`)));
    expect(samples.length).toBe(expected.length);
    expect(samples.reduce((most, sample, i) => Math.max(most, Math.abs(sample - expected[i]!)), 0)).toBeLessThan(1e-5);
  });
});

function readNpy(path: string): Float32Array {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  expect(bytes.toString("latin1", 10, start)).toContain("'<f4'");
  return new Float32Array(new Uint8Array(bytes.subarray(start)).buffer);
}
