import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { readAudio } from "../../../src/audio/lazy-audio.ts";
import { ProgramFailure, runProgram } from "../../../src/audio/run-program.ts";
import { flacBytes, flacFrame, flacFrameHeader } from "../../support/audio/flac-bytes.ts";
import { mutateFlac, takeApart } from "../../support/audio/mutate-flac.ts";
import { randomOpus } from "../../support/audio/opus-bytes.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const golden = (name: string) => readFileSync(fileURLToPath(new URL(`../../golden/audio/${name}`, import.meta.url)));

describe("Opus packets of random bytes", () => {
  // In these the decoder reads beyond its memory, or spoils it and throws when it is freed.
  it.each([1, 13, 14])("are BAD_AUDIO where the decoder crashes: seed %i", async (seed) => {
    await expect(readAudio(randomOpus(seed))).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("is corrupt Ogg"),
    });
    expect((await readAudio(golden("opus.opus"))).samples.length).toBe(2001);
  });
});

describe("FLAC of 32 bits", () => {
  const [precision, coefficient] = [15, 16_383];

  it.each([
    ["infinite", [coefficient]],
    ["NaN", [coefficient, -coefficient]],
  ])("is refused where its predictor leads to samples that are %s", async (_, taps) => {
    const frame = flacFrame(flacFrameHeader(0, 512), linearSubframe(taps));
    const bytes = flacBytes({ blockSize: 512, bits: 32, totalFrames: 512, audio: [frame] });
    await expect(readAudio(bytes)).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("a sample beyond its 32 bits"),
    });
  });

  /** One channel of a linear predictor without residuals: what it predicts is what comes. */
  function linearSubframe(taps: readonly number[]): Uint8Array {
    const bits = (value: number, count: number) => (value >>> 0).toString(2).padStart(32, "0").slice(-count);
    const warmUp = taps.map(() => bits(1_000_000_007, 32));
    const predictor = [bits(precision - 1, 4), bits(0, 5), ...taps.map((tap) => bits(tap, precision))];
    // One partition, in which each residual is stored in 0 bits.
    const residual = [bits(0, 2), bits(0, 4), bits(15, 4), bits(0, 5)];
    const text = [bits(0, 1), bits(31 + taps.length, 6), bits(0, 1), ...warmUp, ...predictor, ...residual].join("");
    return Uint8Array.from(text.match(/.{1,8}/g)!, (byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
  }
});

describe("the MD5 of a FLAC file", () => {
  const sound = golden("best.flac");
  const md5At = 26;

  it("is compared where all of it is read", async () => {
    const bytes = Buffer.from(sound);
    bytes[md5At]! ^= 1;
    const refusal = { code: "BAD_AUDIO", message: expect.stringMatching(/corrupt FLAC: .*their MD5 differs/) };
    await expect(readAudio(bytes)).rejects.toMatchObject(refusal);
    await expect(readAudio(bytes, { duration: 60 })).rejects.toMatchObject(refusal);
    expect((await readAudio(bytes, { offset: 0.01 })).samples.length).toBe(2001 - 160);
    expect((await readAudio(bytes, { duration: 0.1 })).samples.length).toBe(1600);
  });

  it("is not compared where the encoder noted none", async () => {
    const bytes = Buffer.from(sound);
    bytes.fill(0, md5At, md5At + 16);
    expect(await readAudio(bytes)).toEqual(await readAudio(sound));
  });

  it("finds samples that changed together with the checksum of their frame", async () => {
    const file = await takeApart(golden("small-blocks.flac"));
    for (let seed = 0; seed < 100; seed++) {
      const bytes = mutateFlac(file, "body", seededRandom(seed));
      if (bytes.equals(file.bytes)) continue;
      const taken = await readAudio(bytes).catch(() => undefined);
      if (taken !== undefined) expect(taken).toEqual(await readAudio(file.bytes));
    }
  });
});

describe("what may be read of a file", () => {
  const minute = encodeWav(new Float32Array(60 * 16_000), { sampleRate: 16_000 });

  it("is as many seconds as the caller allows", async () => {
    await expect(readAudio(minute, { maxSeconds: 59 })).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("is longer than 59 s"),
      hint: expect.stringMatching(/raise maxSeconds.*offset/),
    });
    expect((await readAudio(minute, { maxSeconds: 60 })).durationSeconds).toBe(60);
    expect((await readAudio(minute, { maxSeconds: 10, offset: 50 })).durationSeconds).toBe(10);
    expect((await readAudio(minute, { maxSeconds: Infinity })).durationSeconds).toBe(60);
  });

  it("is as many bytes as the caller allows, counted for every channel and after resampling", async () => {
    const bytes = 60 * 16_000 * 4;
    expect((await readAudio(minute, { maxOutputBytes: bytes })).durationSeconds).toBe(60);
    await expect(readAudio(minute, { maxOutputBytes: bytes - 1 })).rejects.toMatchObject({ code: "BAD_AUDIO" });
    await expect(readAudio(minute, { maxOutputBytes: bytes, sampleRate: 32_000 })).rejects.toThrow("bytes of samples");
    const stereo = encodeWav([new Float32Array(1000), new Float32Array(1000)], { sampleRate: 16_000 });
    expect((await readAudio(stereo, { maxOutputBytes: 4000 })).samples.length).toBe(1000);
    await expect(readAudio(stereo, { maxOutputBytes: 4000, channel: "all" })).rejects.toThrow("bytes of samples");
  });
});

describe("runProgram", () => {
  const run = (script: string, timeoutMs: number, take = (_piece: Buffer) => true) =>
    runProgram({ program: process.execPath, args: ["-e", script], timeoutMs }, take);

  it("kills a program that does not end", async () => {
    const failure = await run("setInterval(() => {}, 1000)", 500).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProgramFailure);
    expect(failure).toMatchObject({ kind: "timeout" });
  });

  it("kills a program that continues printing when there is enough, and holds nothing of it", async () => {
    let taken = 0;
    const endless = "const b = Buffer.alloc(65536); const go = () => process.stdout.write(b, go); go()";
    await run(endless, 60_000, (piece) => {
      taken += piece.length;
      return taken < 1_000_000;
    });
    expect(taken).toBeLessThan(2_000_000);
  });

  it("passes on what the caller throws, and what the program says when it fails", async () => {
    await expect(
      run("console.log(1); setInterval(() => {}, 1000)", 60_000, () => {
        throw new Error("no more");
      }),
    ).rejects.toThrow("no more");
    const complaint = "console.error('x'.repeat(1e6)); process.exitCode = 3";
    const failure = (await run(complaint, 60_000).catch((error: unknown) => error)) as ProgramFailure;
    expect(failure).toMatchObject({ kind: "failed" });
    expect(failure.message.length).toBeLessThanOrEqual(2000);
    await expect(
      runProgram({ program: "no-such-program", args: [], timeoutMs: 60_000 }, () => true),
    ).rejects.toMatchObject({ kind: "missing", message: "is not installed" });
  });
});
