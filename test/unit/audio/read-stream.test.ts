import { openAsBlob, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const sampleRate = 16_000;
const ramp = Float32Array.from({ length: sampleRate }, (_, i) => (i % 4096) / 8192);
const wav = encodeWav(ramp, { sampleRate });

/** A stream of these bytes in pieces of this length. */
function streamOf(bytes: Uint8Array, pieceBytes: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
}

/** A stream without an end; `pulled` counts its pieces, `cancelled` keeps why it was left. */
function endless(piece: unknown) {
  const seen = { pulled: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.pulled++;
      controller.enqueue(piece as Uint8Array);
    },
    cancel(reason) {
      seen.cancelled = reason;
    },
  });
  return { seen, stream };
}

describe("readAudio of a Blob", () => {
  it("gives the same as of its bytes", async () => {
    expect(await readAudio(new Blob([wav]))).toEqual(await readAudio(wav));
    expect(await probeAudio(new Blob([wav]))).toEqual(await probeAudio(wav));
  });

  it("reads a segment of a file behind it", async () => {
    const path = join(temporaryFolder(), "a.wav");
    writeFileSync(path, wav);
    const { samples } = await readAudio(await openAsBlob(path), { offset: 0.9, duration: 0.05 });
    expect(samples).toEqual((await readAudio(path, { offset: 0.9, duration: 0.05 })).samples);
  });

  it("says what is wrong with it by its name", async () => {
    await expect(readAudio(new Blob([]))).rejects.toThrow(/^the audio is empty/);
    await expect(readAudio(new File(["hello"], "hello.wav"))).rejects.toThrow(/^hello.wav /);
    await expect(readAudio(new File(["hello"], "hello.wav"), { name: "mine" })).rejects.toThrow(/^mine /);
  });

  it("is an error where its file has changed", async () => {
    const path = join(temporaryFolder(), "a.wav");
    writeFileSync(path, wav);
    const blob = await openAsBlob(path);
    writeFileSync(path, "short");
    await expect(readAudio(blob)).rejects.toMatchObject({ code: "BAD_AUDIO" });
  });

  it("has the limits of a file", async () => {
    await expect(readAudio(new Blob([wav]), { maxSeconds: 0.5 })).rejects.toThrow(/is longer than 0.5 s/);
  });
});

describe("readAudio of a stream", () => {
  it.each([1, 1000, 1 << 20])("gives the same as of its bytes, in pieces of %d", async (pieceBytes) => {
    expect(await readAudio(streamOf(wav, pieceBytes))).toEqual(await readAudio(wav));
  });

  it("takes the body of a response", async () => {
    const { body } = new Response(wav);
    expect((await readAudio(body!)).samples).toEqual((await readAudio(wav)).samples);
  });

  it("leaves an endless one after 64 MiB, or what maxOutputBytes says", async () => {
    const usual = endless(new Uint8Array(1 << 20));
    await expect(readAudio(usual.stream)).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("is a stream of more than the 67108864 bytes allowed"),
    });
    expect(usual.seen.pulled).toBeLessThan(70);
    expect(usual.seen.cancelled).toMatchObject({ code: "BAD_AUDIO" });
    const small = endless(new Uint8Array(1000));
    await expect(readAudio(small.stream, { maxOutputBytes: 10_000 })).rejects.toThrow(/the 10000 bytes allowed/);
    expect(small.seen.pulled).toBeLessThan(20);
  });

  it("allows as many bytes as maxSeconds need, and no more seconds", async () => {
    const { stream } = endless(new Uint8Array(1 << 20));
    await expect(readAudio(stream, { maxSeconds: 200 })).rejects.toThrow(/more than the 76800000 bytes allowed/);
    await expect(readAudio(streamOf(wav, 1000), { maxSeconds: 0.5 })).rejects.toThrow(/is longer than 0.5 s/);
  });

  it("leaves one that never has any bytes", async () => {
    const { seen, stream } = endless(new Uint8Array(0));
    await expect(readAudio(stream)).rejects.toThrow(/gives pieces without bytes/);
    expect(seen.pulled).toBeLessThan(1100);
  });

  it("refuses one that gives something else, fails, is read by another, or ends at once", async () => {
    await expect(readAudio(endless("text").stream)).rejects.toThrow(/gives .* instead of bytes/);
    const failing = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("gone")) });
    await expect(readAudio(failing, { name: "live" })).rejects.toThrow(/^live cannot be read: gone/);
    const locked = streamOf(wav, 1000);
    locked.getReader();
    await expect(readAudio(locked)).rejects.toThrow(/is a stream that something else reads/);
    await expect(readAudio(streamOf(new Uint8Array(0), 1))).rejects.toThrow(/is empty/);
  });
});
