import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";
import { SampleSink } from "../../../src/audio/sample-sink.ts";
import { expectSameSamples } from "../../support/audio/same-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const rate = 16_000;
const ramp = (frames: number, factor = 1) =>
  Float32Array.from({ length: frames }, (_, i) => ((i % 4096) / 8192) * factor);
const mono = encodeWav(ramp(rate), { sampleRate: rate });
const stereo = encodeWav([ramp(rate), ramp(rate, -0.5)], { sampleRate: rate });

describe("readAudio", () => {
  it("mixes channels to their mean unless one is chosen", async () => {
    const mix = (await readAudio(stereo)).samples;
    const [left, right] = (await readAudio(stereo, { channel: "all" })).samples as [Float32Array, Float32Array];
    expect(mix).toEqual(left.map((sample, i) => (sample + right[i]!) / 2));
    expect((await readAudio(stereo, { channel: 1 })).samples).toEqual(right);
  });

  it("says what it read", async () => {
    expect(await readAudio(stereo, { sampleRate: 8000 })).toMatchObject({
      sampleRate: 8000,
      sourceSampleRate: rate,
      channels: 2,
      durationSeconds: 1,
      format: "wav",
      codec: "pcm_s16le",
      warnings: [],
    });
  });

  it("reads a segment from a file larger than its buffers", async () => {
    const path = join(temporaryFolder(), "long.wav");
    const samples = ramp(100 * rate).map((sample, i) => sample + i / 1e8);
    writeFileSync(path, encodeWav(samples, { sampleRate: rate, encoding: "float32" }));
    expectSameSamples((await readAudio(path)).samples, samples);
    const { samples: part } = await readAudio(path, { offset: 70.5, duration: 25 });
    expectSameSamples(part, samples.slice(70.5 * rate, 95.5 * rate));
  });

  it("warns of a segment that reaches beyond the end", async () => {
    const { samples, warnings } = await readAudio(mono, { offset: 0.75, duration: 0.5 });
    expect(samples.length).toBe(rate / 4);
    expect(warnings).toEqual([{ kind: "past_end", message: "0.5 s were asked for, 0.25 s are there" }]);
  });

  it("refuses a segment that begins behind the end", async () => {
    await expect(readAudio(mono, { offset: 1, name: "a.wav" })).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("a.wav has nothing at 1 s: it is 1 s long"),
    });
  });

  it("refuses a channel that is not there", async () => {
    await expect(readAudio(mono, { channel: 1, name: "a.wav" })).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("a.wav has one channel, number 1 is not among them"),
    });
  });

  it.each([
    [{ channel: -1 }],
    [{ channel: 0.5 }],
    [{ channel: "left" as "mix" }],
    [{ offset: -1 }],
    [{ offset: Number.NaN }],
    [{ duration: 0 }],
    [{ sampleRate: 0 }],
    [{ sampleRate: 16_000.5 }],
    [{ truncated: "yes" as "keep" }],
    [{ quality: "worst" as "best", sampleRate: 8000 }],
    [{ allocate: 5 as never }],
    [{ allocate: () => new Float32Array(rate), channel: "all" as const }],
    [{ allocate: () => new Float32Array(rate - 1) }],
    [{ allocate: () => new Float64Array(rate) as never }],
  ])("refuses the option %j", async (options) => {
    await expect(readAudio(mono, options)).rejects.toMatchObject({ code: "BAD_OPTION" });
  });

  it("puts samples where they are wanted, for file after file, whatever was there before", async () => {
    const room = new Float32Array(2 * rate).fill(Number.NaN);
    const allocate = () => room;
    for (const [bytes, options] of [
      [stereo, {}],
      [mono, { offset: 0.25, duration: 0.5 }],
      [encodeWav(ramp(2 * rate, 0.7), { sampleRate: rate, encoding: "float32" }), {}],
      [mono, {}],
    ] as const) {
      const { samples } = await readAudio(bytes, { ...options, allocate });
      expect(samples.buffer).toBe(room.buffer);
      expectSameSamples(samples, (await readAudio(bytes, options)).samples);
    }
  });

  it("asks for more room where more comes than was announced, and keeps what it has", () => {
    const asked: number[] = [];
    const allocate = (length: number) => {
      asked.push(length);
      return new Float32Array(length + 7);
    };
    const range = { start: 0, end: Infinity };
    const sink = new SampleSink({ channel: "mix", channels: 1, range, warnings: [], allocate });
    const samples = ramp(100_000);
    for (let at = 0; at < samples.length; at += 1000) sink.pushPlanes([samples.subarray(at, at + 1000)], 1000);
    expectSameSamples(sink.finish()[0]!, samples);
    expect(asked.length).toBeGreaterThan(2);
  });

  it("reads several files at a time, each into its own", async () => {
    const folder = temporaryFolder();
    const paths = [1, 0.5, -0.25, -1].map((factor) => {
      const path = join(folder, `${factor}.wav`);
      writeFileSync(path, encodeWav(ramp(20 * rate, factor), { sampleRate: rate }));
      return path;
    });
    const alone: Float32Array[] = [];
    for (const path of paths) alone.push((await readAudio(path)).samples);
    const together = await Promise.all(paths.map((path) => readAudio(path)));
    for (const [i, { samples }] of together.entries()) expectSameSamples(samples, alone[i]!);
  });

  it("leaves no file open, whatever happens", async () => {
    const folder = temporaryFolder();
    const [sound, broken] = [join(folder, "sound.wav"), join(folder, "broken.wav")];
    writeFileSync(sound, mono);
    writeFileSync(broken, mono.subarray(0, 1000));
    // More than a process may have open, so that one left open each time would end this.
    for (let i = 0; i < 1500; i++) await Promise.allSettled([probeAudio(sound), probeAudio(broken)]);
    expect((await readAudio(sound)).samples.length).toBe(rate);
  });
});

describe("what is no audio", () => {
  it.each([
    ["an empty file", "", "is empty (0 bytes)", "leave it out"],
    ["a git-lfs pointer", "version https://git-lfs.github.com/spec/v1\noid x", "git-lfs pointer", "git lfs pull"],
    ["a git-annex pointer", "/annex/objects/MD5E-s1--x.wav\n", "git-annex pointer", "git annex get"],
    ["an error page", "<!DOCTYPE html><title>404</title>", "an HTML page", "what the server answers"],
    ["an error of a store", '<?xml version="1.0"?><Error/>', "is XML", "what the server answers"],
    ["an error of a service", '{"message": "no"}', "is JSON", "what the server answers"],
    ["a transcript", "HE WAS IN A HURRY\n", 'is text ("HE WAS IN A HURRY")', "transcript"],
    ["a zip archive", "PK\x03\x04", "a zip archive", "unpack it"],
    ["a gzip file", "\x1f\x8b\x08", "compressed with gzip", "unpack it"],
    ["video", "RIFF\x10\0\0\0AVI LIST", "a RIFF file of another kind", "ffmpeg"],
    ["lost contents", "\0".repeat(500), "nothing but zero bytes", "fetch it again"],
    ["shorten", "ajkg\x02", "compressed with shorten", "sox"],
    ["anything else", "\x80\x81\x82\x83\x84", "begins with the bytes 80 81 82 83 84", "ffmpeg"],
    ["Ogg of another kind", "OggS", "is truncated in its first Ogg page", "fetch it again"],
  ])("is named: %s", async (_, text, what, hint) => {
    const path = join(temporaryFolder(), "file.wav");
    writeFileSync(path, text, "latin1");
    await expect(readAudio(path)).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining(`${path} `),
      hint: expect.stringContaining(hint),
    });
    await expect(readAudio(path)).rejects.toThrow(what);
  });

  it.each(["https://example.org/a.wav", new URL("https://example.org/a.wav")])(
    "is named: the address %s",
    async (from) => {
      await expect(readAudio(from)).rejects.toThrow("https://example.org/a.wav is not on this machine");
    },
  );

  it("is named: a directory, a missing file, a path that is none", async () => {
    const folder = join(temporaryFolder(), "folder.wav");
    mkdirSync(folder);
    await expect(readAudio(folder)).rejects.toThrow(`${folder} is a directory`);
    await expect(readAudio(join(folder, "none.wav"))).rejects.toThrow("none.wav does not exist");
    await expect(readAudio("a\0b")).rejects.toMatchObject({ code: "BAD_AUDIO" });
  });
});

describe("probeAudio", () => {
  it("describes a file without decoding it", async () => {
    expect(await probeAudio(stereo)).toEqual({
      format: "wav",
      codec: "pcm_s16le",
      sampleRate: rate,
      channels: 2,
      frames: rate,
      durationSeconds: 1,
      isExact: true,
    });
  });

  it("refuses what readAudio refuses by its header", async () => {
    await expect(probeAudio(mono.subarray(0, 1000), { name: "cut.wav" })).rejects.toThrow("cut.wav is truncated");
  });
});
