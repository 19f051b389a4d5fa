import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";

// Written by other programs, see scripts/golden/make-audio.mjs.
const golden = fileURLToPath(new URL("../../golden/audio", import.meta.url));
const pathOf = (name: string) => join(golden, name);
const source = await readAudio(pathOf("source.wav"), { channel: "all" });
const hasFfmpeg = spawnSync("ffprobe", ["-version"]).status === 0;

const lossless = [
  ["best.flac", "flac", "flac"],
  ["small-blocks.flac", "flac", "flac"],
  ["flac.oga", "ogg", "flac"],
  ["pcm.sph", "sphere", "pcm_s16le"],
  ["pcm.aiff", "aiff", "pcm_s16be"],
  ["float.caf", "caf", "pcm_f32le"],
  ["pcm.w64", "w64", "pcm_s16le"],
  ["rf64.wav", "wav", "pcm_s16le"],
] as const;

describe("files of other programs", () => {
  it.each(lossless)("are read bit for bit: %s", async (name, format, codec) => {
    const audio = await readAudio(pathOf(name), { channel: "all" });
    expect(audio).toEqual({ ...source, format, codec });
  });

  it.each(["ima.wav", "ms.wav", "ulaw.sph"])("are decoded as sox decodes them: %s", async (name) => {
    const { samples } = await readAudio(pathOf(name));
    const { samples: expected } = await readAudio(pathOf(name.replace(/\..*/, ".decoded.wav")));
    expect(samples.length).toBe(expected.length);
    // sox rounds the mean of the two channels to 16 bits.
    expect(largestDifference(samples, expected)).toBeLessThanOrEqual(0.5 / 32768);
  });

  it.each(["cbr.mp3", "vorbis.ogg", "opus.opus"])("are decoded with what a codec loses, in place: %s", async (name) => {
    const { samples, sampleRate, warnings } = await readAudio(pathOf(name), { channel: "all" });
    expect({ sampleRate, warnings, frames: samples.map(({ length }) => length) }).toEqual({
      sampleRate: 16_000,
      warnings: [],
      frames: [2001, 2001],
    });
    for (const [channel, plane] of samples.entries()) {
      expect(correlation(plane, source.samples[channel]!)).toBeGreaterThan(0.999);
    }
  });

  it("are mono where they say so: mono-vbr.mp3", async () => {
    const { samples, channels } = await readAudio(pathOf("mono-vbr.mp3"));
    const mix = (await readAudio(pathOf("source.wav"))).samples;
    expect(channels).toBe(1);
    expect(correlation(samples, mix)).toBeGreaterThan(0.999);
  });

  it("keep the encoder's delay where an MP3 does not note it", async () => {
    const { samples } = await readAudio(pathOf("untagged.mp3"));
    expect(samples.length % 576).toBe(0);
    expect(await probeAudio(pathOf("untagged.mp3"))).toMatchObject({ frames: samples.length, isExact: false });
  });

  it.skipIf(!hasFfmpeg)("are read with ffmpeg where nothing else does: alac.m4a, also as bytes", async () => {
    const expected = { ...source, format: "mp4", codec: "alac" };
    expect(await readAudio(pathOf("alac.m4a"), { channel: "all" })).toEqual(expected);
    expect(await readAudio(readFileSync(pathOf("alac.m4a")), { channel: "all" })).toEqual(expected);
    expect(await probeAudio(pathOf("alac.m4a"))).toMatchObject({ sampleRate: 16_000, channels: 2, frames: 2001 });
  });

  it.each([...lossless.map(([name]) => name), "cbr.mp3", "vorbis.ogg", "opus.opus", "ms.wav"])(
    "give any part of themselves: %s",
    async (name) => {
      const whole = await readAudio(pathOf(name), { channel: 1 });
      const part = await readAudio(pathOf(name), { channel: 1, offset: 0.05, duration: 0.03 });
      expect(part.samples).toEqual(whole.samples.slice(800, 1280));
      expect(part.durationSeconds).toBe(0.03);
    },
  );

  it.each([...lossless.map(([name]) => name), "cbr.mp3", "mono-vbr.mp3", "vorbis.ogg", "opus.opus"])(
    "are probed without being decoded: %s",
    async (name) => {
      const { samples, channels } = await readAudio(pathOf(name));
      const info = await probeAudio(pathOf(name));
      expect(info).toMatchObject({ sampleRate: 16_000, channels, frames: samples.length, isExact: true });
      expect(info.durationSeconds).toBe(samples.length / 16_000);
    },
  );

  it("are read as a path, a URL and bytes alike, and at the same time", async () => {
    const path = pathOf("opus.opus");
    const results = await Promise.all(
      [path, pathToFileURL(path), readFileSync(path), path].map((from) => readAudio(from)),
    );
    for (const result of results) expect(result).toEqual(results[0]);
  });
});

describe("files that are cut", () => {
  const cutOf = (name: string, bytes: number) => readFileSync(pathOf(name)).subarray(0, -bytes);

  it.each(["best.flac", "vorbis.ogg", "opus.opus", "pcm.sph", "pcm.w64", "pcm.aiff"])(
    "are refused: %s",
    async (name) => {
      await expect(readAudio(cutOf(name, 1000), { name })).rejects.toMatchObject({
        code: "BAD_AUDIO",
        message: expect.stringMatching(`^${name} is truncated`),
      });
    },
  );

  it.each(["small-blocks.flac", "pcm.sph", "pcm.w64"])(
    "are read as far as they go where that is asked for: %s",
    async (name) => {
      const { samples, warnings } = await readAudio(cutOf(name, 1000), { channel: 0, truncated: "keep" });
      expect(warnings.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["truncated"]));
      expect(samples).toEqual(source.samples[0]!.slice(0, samples.length));
      expect(samples.length).toBeGreaterThan(1000);
    },
  );

  it.each(["small-blocks.flac", "vorbis.ogg", "opus.opus", "flac.oga"])(
    "are refused where bytes are flipped: %s",
    async (name) => {
      const bytes = readFileSync(pathOf(name));
      const at = Math.floor(bytes.length * 0.7);
      for (let i = at; i < at + 40; i++) bytes[i]! ^= 0xff;
      await expect(readAudio(bytes)).rejects.toMatchObject({
        code: "BAD_AUDIO",
        message: expect.stringMatching("corrupt"),
      });
    },
  );

  it("warn of what lies between the frames of an MP3", async () => {
    const bytes = readFileSync(pathOf("cbr.mp3"));
    const frame = 288;
    const torn = Buffer.concat([bytes.subarray(0, 4 * frame), Buffer.alloc(100), bytes.subarray(4 * frame)]);
    expect((await readAudio(torn)).warnings).toEqual([expect.objectContaining({ kind: "corrupt" })]);
  });
});

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, sample, i) => Math.max(most, Math.abs(sample - b[i]!)), 0);
}

function correlation(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
