import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { readAudio } from "../../../src/audio/lazy-audio.ts";

const samples = fc.float32Array({ min: -1, max: 1, minLength: 1, maxLength: 50, noNaN: true });

describe("encodeWav", () => {
  it.each([
    ["pcm16", 2 ** -15],
    ["pcm24", 2 ** -23],
    ["float32", 0],
  ] as const)("is read back within one step: %s", async (encoding, step) => {
    await fc.assert(
      fc.asyncProperty(samples, fc.integer({ min: 1, max: 3 }), async (plane, channels) => {
        const planes = Array.from({ length: channels }, (_, channel) => plane.map((sample) => sample / (channel + 1)));
        const file = encodeWav(planes, { sampleRate: 22_050, encoding });
        const audio = await readAudio(file, { channel: "all" });
        expect(audio).toMatchObject({ sampleRate: 22_050, channels, warnings: [] });
        for (const [channel, read] of audio.samples.entries()) {
          const errors = read.map((sample, i) => Math.abs(sample - planes[channel]![i]!));
          expect(Math.max(...errors)).toBeLessThanOrEqual(step);
        }
      }),
    );
  });

  it("clips integers at full scale, and floating point not", async () => {
    const loud = Float32Array.of(-2, 2);
    expect([...(await readAudio(encodeWav(loud, { sampleRate: 8000 }))).samples]).toEqual([-1, 32767 / 32768]);
    const float = encodeWav(loud, { sampleRate: 8000, encoding: "float32" });
    expect([...(await readAudio(float)).samples]).toEqual([-2, 2]);
  });

  it("is as small as a WAV file can be", () => {
    expect(encodeWav(Float32Array.of(0), { sampleRate: 8000 }).length).toBe(46);
  });

  it.each([
    ["channels of different length", [new Float32Array(1), new Float32Array(2)], {}, "differ in length"],
    ["no channel", [], {}, "it has 0 channels"],
    ["a rate of zero", new Float32Array(1), { sampleRate: 0 }, "its sample rate is 0"],
    ["an encoding it does not know", new Float32Array(1), { encoding: "mp3" as "pcm16" }, 'no encoding "mp3"'],
    ["NaN as an integer", Float32Array.of(Number.NaN), {}, "a sample is NaN"],
  ])("refuses %s", (_, planes, options, message) => {
    expect(() => encodeWav(planes, { sampleRate: 8000, ...options })).toThrow(message);
  });
});
