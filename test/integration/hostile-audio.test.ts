import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { flacBytes, flacFrame, flacFrameHeader } from "../support/audio/flac-bytes.ts";
import { opusBytes } from "../support/audio/opus-bytes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const child = fileURLToPath(new URL("../fixtures/children/reads-audio.mjs", import.meta.url));
const library = process.env["MILLRACE_LIBRARY"] ?? fileURLToPath(new URL("../../dist/speech.js", import.meta.url));
const hasFfmpeg = spawnSync("ffprobe", ["-version"]).status === 0;
const noFfmpeg = hasFfmpeg ? "" : ": ffmpeg is missing";

interface Outcome {
  readonly frames?: number;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly seconds: number;
  readonly peakBytes: number;
}

/** Reads a file in a process of its own, which may neither fill the memory nor take minutes. */
function readApart(file: string, options: object = {}): Outcome {
  const limit = `ulimit -d ${3 * 2 ** 20}; exec "$@"`;
  const args = ["-c", limit, "sh", process.execPath, "--max-old-space-size=512", child, library, file];
  const { stdout, stderr, signal } = spawnSync("sh", [...args, JSON.stringify(options)], {
    encoding: "utf8",
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  if (stdout === "") throw new Error(`the reader ended by ${signal}: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout) as Outcome;
}

function fileOf(bytes: Uint8Array, name: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

// What Node.js takes by itself, the samples of 64 MiB, and those of them that are moved when they grow.
const modestBytes = 700 * 2 ** 20;
const refusal = { code: "BAD_AUDIO", message: expect.stringContaining("more than the 67108864 bytes of samples") };

describe("a small file that promises hours", () => {
  const blockSize = 65_535;
  const silence = Buffer.from([0, 0, 0]);
  const frames = Array.from({ length: 10_000 }, (_, i) => flacFrame(flacFrameHeader(i, blockSize), silence));
  const bomb = flacBytes({ blockSize, audio: frames });

  it("is refused with what to raise, where it is FLAC of constant frames", { timeout: 300_000 }, () => {
    const outcome = readApart(fileOf(bomb, "bomb.flac"));
    expect(outcome).toMatchObject({ ...refusal, hint: expect.stringMatching(/maxSeconds or maxOutputBytes.*offset/) });
    expect(outcome.peakBytes).toBeLessThan(modestBytes);
  });

  it("gives any second of it, and only that", { timeout: 300_000 }, () => {
    const outcome = readApart(fileOf(bomb, "bomb.flac"), { offset: 40_000, duration: 1 });
    expect(outcome).toMatchObject({ frames: 16_000 });
    expect(outcome.peakBytes).toBeLessThan(modestBytes);
  });

  it.each([
    ["maxSeconds", { maxSeconds: 2500 }],
    ["maxOutputBytes", { maxOutputBytes: 200_000_000 }],
  ])("is read where the caller raises %s", { timeout: 300_000 }, (_, options) => {
    const long = flacBytes({ blockSize, audio: frames.slice(0, 500) });
    const path = fileOf(long, "long.flac");
    expect(readApart(path)).toMatchObject(refusal);
    expect(readApart(path, options)).toMatchObject({ frames: 500 * blockSize });
  });

  it("is refused where it is Opus: packets of one byte", { timeout: 300_000 }, () => {
    const outcome = readApart(fileOf(opusBytes({ channels: 1, pages: 40 }), "bomb.opus"));
    expect(outcome).toMatchObject(refusal);
    expect(outcome.peakBytes).toBeLessThan(modestBytes);
  });

  it("is refused where it is Opus: 200 channels of one stream", { timeout: 300_000 }, () => {
    const outcome = readApart(fileOf(opusBytes({ channels: 200, pages: 4 }), "wide.opus"));
    expect(outcome).toMatchObject(refusal);
    expect(outcome.peakBytes).toBeLessThan(modestBytes);
  });

  it.skipIf(!hasFfmpeg)(`is read with ffmpeg as far as asked for${noFfmpeg}`, { timeout: 300_000 }, () => {
    const path = join(temporaryFolder(), "silence.mka");
    const source = ["-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "1200"];
    expect(spawnSync("ffmpeg", ["-v", "error", ...source, "-c:a", "flac", path]).status).toBe(0);
    const part = readApart(path, { offset: 1000, duration: 1 });
    expect(part).toMatchObject({ frames: 48_000 });
    expect(part.peakBytes).toBeLessThan(modestBytes);
    const whole = readApart(path);
    expect(whole).toMatchObject({ code: "BAD_AUDIO", message: expect.stringContaining("bytes of samples allowed") });
    expect(whole.peakBytes).toBeLessThan(modestBytes);
  });
});

describe("a FLAC file of false frame headers", () => {
  // 220 seconds before the number of tries was limited.
  it.each([
    ["nothing behind them", Buffer.alloc(0)],
    ["frames with a wrong checksum behind them", Buffer.alloc(26)],
  ])("is refused soon, with %s", { timeout: 300_000 }, (_, body) => {
    const blockSize = 65_535;
    const info = { blockSize, channels: 8, totalFrames: 2 ** 35 };
    const one = (number: number) => Buffer.concat([flacFrameHeader(number, blockSize, 7), body]);
    const good = flacFrame(flacFrameHeader(0, blockSize, 7), Buffer.alloc(24));
    const count = Math.ceil(3_000_000 / one(1000).length);
    const audio = [good, ...Array.from({ length: count }, (_, i) => one(i + 1))];
    const outcome = readApart(fileOf(flacBytes({ ...info, audio }), "false.flac"), { offset: 100_000, duration: 1 });
    expect(outcome).toMatchObject({ code: "BAD_AUDIO", message: expect.stringMatching(/corrupt FLAC.*at byte \d+/) });
    expect(outcome.seconds).toBeLessThan(20);
  });
});

describe.skipIf(!hasFfmpeg)(`a file that is left to ffmpeg${noFfmpeg}`, () => {
  const make = (path: string, ...args: string[]) =>
    expect(spawnSync("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", ...args, path]).status).toBe(0);

  it.each(["-i.m4a", "concat:a.m4a", "file:b.m4a", "%d.m4a"])("may have any name: %s", (name) => {
    const folder = temporaryFolder();
    const made = join(folder, "made.m4a");
    make(made, "-c:a", "alac");
    const path = join(folder, name);
    symlinkSync(made, path);
    expect(readApart(path)).toMatchObject({ frames: 44_100 });
  });
});
