import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../../src/audio/byte-source.ts";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { openFlac } from "../../../src/audio/flac/open-flac.ts";
import { readAudio } from "../../../src/audio/lazy-audio.ts";
import { SampleSink } from "../../../src/audio/sample-sink.ts";
import { expectSameSamples } from "../../support/audio/same-samples.ts";
import { wavBytes } from "../../support/audio/wav-bytes.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hasFlac = spawnSync("flac", ["--version"]).status === 0;
const missing = hasFlac ? "" : ": the flac program is missing";

/** Noise under a slow tone, its level changing, with some silence: every kind of subframe comes up. */
function signal(frames: number, seed = 1): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: frames }, (_, i) =>
    i % 20_000 < 3000 ? 0 : Math.sin(i / 50) * 0.4 + (random() - 0.5) * (0.01 + (i % 7000) / 20_000),
  );
}

/** A WAV file packed by the flac program. */
function pack(wav: Uint8Array, ...options: readonly string[]): Uint8Array {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, "a.wav"), join(folder, "a.flac")];
  writeFileSync(from, wav);
  expect(spawnSync("flac", ["-s", ...options, "-o", to, from]).status).toBe(0);
  return readFileSync(to);
}

async function expectSame(packed: Uint8Array, wav: Uint8Array): Promise<void> {
  const [found, expected] = await Promise.all([packed, wav].map((file) => readAudio(file, { channel: "all" })));
  expect(found!.samples.length).toBe(expected!.samples.length);
  for (const [channel, plane] of expected!.samples.entries()) expectSameSamples(found!.samples[channel]!, plane);
}

describe.skipIf(!hasFlac)(`readAudio of FLAC${missing}`, () => {
  const stereo = [signal(30_011), signal(30_011, 2).map((sample, i) => sample / 2 + Math.sin(i / 50) / 5)];

  it.each([
    "-0",
    "-5",
    "-8 -e -p",
    "--lax -b 65535 -l 32",
    "--lax -b 17 -r 15",
    "-3 --no-mid-side",
    "-l 0",
    "--no-padding --no-seektable",
  ])("gives the samples that were packed with %s", async (options) => {
    const wav = encodeWav(stereo, { sampleRate: 44_100 });
    await expectSame(pack(wav, ...options.split(" ")), wav);
  });

  it("gives all bits of 24", async () => {
    const wav = encodeWav(stereo, { sampleRate: 48_000, encoding: "pcm24" });
    await expectSame(pack(wav, "-8"), wav);
  });

  it("gives all bits of 32, and of 8", async () => {
    const wide = Int32Array.from(stereo[0]!, (sample, i) => (sample + i * 1e-9) * 2 ** 31);
    const wav = wavBytes({ channels: 2, bits: 32, data: new Uint8Array(wide.buffer).subarray(0, 80_000) });
    await expectSame(pack(wav, "-8"), wav);
    const narrow = wavBytes({ bits: 8, data: Uint8Array.from(stereo[0]!, (sample) => 128 + sample * 100) });
    await expectSame(pack(narrow, "-8"), narrow);
  });

  it("gives all bits of 32 where channels are far apart, and where the lowest bits are all zero", async () => {
    const random = seededRandom(5);
    for (const wasted of [0, 7]) {
      // The difference of such channels takes 33 bits.
      const wide = Int32Array.from({ length: 20_000 }, (_, i) => {
        const size = 2 ** 31 - 1 - Math.floor(random() * 1000);
        return ((i % 2 === 0 ? size : -size - 1) >> wasted) << wasted;
      });
      const wav = wavBytes({ channels: 2, bits: 32, data: new Uint8Array(wide.buffer) });
      await expectSame(pack(wav, "-8"), wav);
      await expectSame(pack(wav, "-0", "-M"), wav);
    }
  });

  it("gives samples whose lowest bits are all zero", async () => {
    const coarse = signal(10_000).map((sample) => Math.round(sample * 64) / 64);
    const wav = encodeWav(coarse, { sampleRate: 16_000 });
    await expectSame(pack(wav), wav);
  });

  it("reads a file whose length is not noted, and one behind a tag", async () => {
    const wav = encodeWav(signal(20_000), { sampleRate: 16_000 });
    const packed = Buffer.from(pack(wav));
    const untold = Buffer.from(packed);
    untold[21]! &= 0xf0;
    untold.fill(0, 22, 26);
    await expectSame(untold, wav);
    await expectSame(Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\x14".padEnd(30, "\0"), "latin1"), packed]), wav);
  });

  it("finds a segment by looking at a small part of the file", async () => {
    const samples = signal(120 * 16_000);
    const packed = pack(encodeWav(samples, { sampleRate: 16_000 }));
    const bytes = bytesSource(packed, "long.flac");
    let bytesRead = 0;
    const read = (at: number, length: number) => {
      bytesRead += Math.min(length, bytes.size - at);
      return bytes.read(at, length);
    };
    const { decode } = await openFlac({ ...bytes, read }, { truncated: "fail" });
    const sink = new SampleSink({
      channel: "mix",
      channels: 1,
      range: { start: 1_600_000, end: 1_616_000 },
      warnings: [],
      allocate: undefined,
    });
    await decode(sink);
    const whole = (await readAudio(packed)).samples;
    expectSameSamples(sink.finish()[0]!, whole.slice(1_600_000, 1_616_000));
    expect(bytesRead).toBeLessThan(packed.length * 0.6);
  });

  it("finds segments anywhere", async () => {
    const packed = pack(encodeWav(signal(60 * 16_000), { sampleRate: 16_000 }), "-b", "1024");
    const whole = (await readAudio(packed)).samples;
    for (const offset of [0, 0.0001, 7.77, 31.4159, 59.9]) {
      const { samples } = await readAudio(packed, { offset, duration: 0.05 });
      const start = Math.round(offset * 16_000);
      expectSameSamples(samples, whole.slice(start, start + 800));
    }
  });
});
