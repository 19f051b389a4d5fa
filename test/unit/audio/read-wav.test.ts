import { describe, expect, it } from "vitest";
import { readAudio } from "../../../src/audio/lazy-audio.ts";
import { chunk, pcm16, type WavParts, wavBytes } from "../../support/audio/wav-bytes.ts";

const bytesOf = (array: { readonly buffer: ArrayBufferLike }) => new Uint8Array(array.buffer as ArrayBuffer);
const read = async (parts: WavParts) => [...(await readAudio(wavBytes(parts))).samples];
const extension = (tag: number, validBits: number) =>
  Buffer.from([22, 0, validBits, 0, 0, 0, 0, 0, tag, 0, ...Buffer.from("000000001000800000aa00389b71", "hex")]);

describe("readAudio of WAV", () => {
  it.each([
    ["8 bits", { bits: 8, data: Uint8Array.of(0, 128, 255) }, [-1, 0, 127 / 128]],
    ["16 bits", { data: pcm16(-32768, 0, 32767) }, [-1, 0, 32767 / 32768]],
    ["24 bits", { bits: 24, data: Buffer.from("000080000000ffff7f", "hex") }, [-1, 0, (2 ** 23 - 1) / 2 ** 23]],
    ["32 bits", { bits: 32, data: bytesOf(Int32Array.of(-(2 ** 31), 0, 2 ** 30)) }, [-1, 0, 0.5]],
    ["64 bits", { bits: 64, data: bytesOf(BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 62n)) }, [-1, 0, 0.5]],
    ["single precision", { tag: 3, bits: 32, data: bytesOf(Float32Array.of(-1.5, 0, 0.25)) }, [-1.5, 0, 0.25]],
    ["double precision", { tag: 3, bits: 64, data: bytesOf(Float64Array.of(-1.5, 0, 0.25)) }, [-1.5, 0, 0.25]],
    ["mu-law", { tag: 7, bits: 8, data: Uint8Array.of(0x00, 0xff, 0x80) }, [-32124 / 32768, 0, 32124 / 32768]],
    ["A-law", { tag: 6, bits: 8, data: Uint8Array.of(0x2a, 0xd5, 0xaa) }, [-32256 / 32768, 8 / 32768, 32256 / 32768]],
    ["big-endian 16 bits", { id: "RIFX", data: Buffer.from("8000000040000000", "hex").subarray(0, 6) }, [-1, 0, 0.5]],
    ["extensible 16 bits", { tag: 0xfffe, data: pcm16(-32768, 0, 16384), extension: extension(1, 16) }, [-1, 0, 0.5]],
    [
      "extensible 20 of 24 bits",
      { tag: 0xfffe, bits: 24, data: Buffer.from("000080", "hex"), extension: extension(1, 20) },
      [-1],
    ],
    [
      "extensible float",
      { tag: 0xfffe, bits: 32, data: bytesOf(Float32Array.of(2)), extension: extension(3, 32) },
      [2],
    ],
  ] satisfies readonly [string, WavParts, number[]][])("takes full scale as 1: %s", async (_, parts, expected) => {
    expect(await read(parts)).toEqual(expected);
  });

  it.each([
    ["a chunk of odd size with its padding", [chunk("LIST", Buffer.from("odd"))]],
    ["a chunk of odd size without it", [chunk("LIST", Buffer.from("odd")).subarray(0, 11)]],
    ["a chunk that is empty", [chunk("PAD ", Buffer.alloc(0))]],
    ["fifty chunks", Array.from({ length: 50 }, () => chunk("JUNK", Buffer.alloc(10)))],
  ])("steps over %s", async (_, before) => {
    expect(await read({ data: pcm16(1024), before })).toEqual([1 / 32]);
  });

  it.each([
    ["ffmpeg's sizes of a stream", { dataSize: 0xffff_ffff, riffSize: 0xffff_ffff }],
    ["sox's sizes of a stream", { dataSize: 0x7fff_f000, riffSize: 0x7fff_f024 }],
    ["sizes of zero", { dataSize: 0, riffSize: 0 }],
    ["sizes that were never fixed", { dataSize: 0, riffSize: 36 }],
  ])("reads to the end where it finds %s", async (_, sizes) => {
    expect(await read({ data: pcm16(1024, 2048), ...sizes })).toEqual([1 / 32, 1 / 16]);
  });

  it.each(["RF64", "BW64"] as const)("takes the size of a large file from the ds64 chunk: %s", async (id) => {
    const wide = Buffer.alloc(28);
    wide.writeBigUInt64LE(4n, 8);
    const before = [chunk("ds64", wide)];
    const samples = await read({ id, data: pcm16(1024, 2048), after: pcm16(1, 2), dataSize: 0xffff_ffff, before });
    expect(samples).toEqual([1 / 32, 1 / 16]);
  });

  it("does not read what follows the samples", async () => {
    expect(await read({ data: pcm16(1024), after: chunk("LIST", Buffer.from("text")) })).toEqual([1 / 32]);
  });

  it("warns of bytes that are no whole frame", async () => {
    const { samples, warnings } = await readAudio(wavBytes({ channels: 2, data: pcm16(1, 2, 3), blockBytes: 4 }));
    expect(samples.length).toBe(1);
    expect(warnings).toEqual([
      { kind: "odd_length", message: "the last 2 bytes are no whole frame and were left out" },
    ]);
  });

  it.each([
    ["a codec it does not know", { tag: 0x55, data: pcm16(1) }, "unsupported codec (format tag 0x0055, MP3)"],
    ["blocks that contradict the rest", { blockBytes: 3, data: pcm16(1, 2) }, "contradicts itself"],
    ["half precision", { tag: 3, data: pcm16(1) }, "holds 16-bit floating point samples"],
    ["mu-law of 16 bits", { tag: 7, data: pcm16(1) }, "16 bits for 8-bit mu-law"],
    ["too many channels", { channels: 2000, data: new Uint8Array(4000) }, "says 2000 channels"],
    ["an impossible rate", { sampleRate: 1, data: pcm16(1) }, "sample rate of 1 Hz"],
    ["IMA blocks of no size", { tag: 0x11, bits: 4, blockBytes: 0, data: pcm16(1) }, "IMA ADPCM header"],
    ["MS blocks of no size", { tag: 2, bits: 4, blockBytes: 0, data: pcm16(1) }, "MS ADPCM header"],
    ["an extension that is cut", { tag: 0xfffe, data: pcm16(1) }, "extensible fmt chunk of 16 bytes"],
    ["more than is there", { data: pcm16(1), dataSize: 5_000_000 }, "announces 5000000 bytes of samples, 2 are there"],
  ] satisfies readonly [string, WavParts, string][])("refuses %s", async (_, parts, message) => {
    await expect(read(parts)).rejects.toMatchObject({ code: "BAD_AUDIO", message: expect.stringContaining(message) });
  });
});

describe("readAudio of NIST SPHERE", () => {
  const sphere = (fields: string, data: Uint8Array) =>
    Buffer.concat([Buffer.from(`NIST_1A\n   1024\n${fields}end_head\n`.padEnd(1024)), data]);

  it("reads what a header leaves out as its usual value", async () => {
    const { samples, channels } = await readAudio(sphere("sample_rate -i 8000\n", pcm16(1024, 2048)));
    expect({ samples: [...samples], channels }).toEqual({ samples: [1 / 32, 1 / 16], channels: 1 });
  });

  it("reads both orders of bytes", async () => {
    const fields = "sample_rate -i 8000\nsample_byte_format -s2 10\n";
    expect([...(await readAudio(sphere(fields, Buffer.of(4, 0)))).samples]).toEqual([1 / 32]);
  });

  it("names the program that unpacks shorten", async () => {
    const fields = "sample_rate -i 8000\nsample_coding -s26 pcm,embedded-shorten-v2.00\n";
    await expect(readAudio(sphere(fields, pcm16(1)))).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringContaining("is NIST SPHERE compressed with shorten-v2.00, which is not read"),
      hint: "convert it first: sph2pipe -f wav FILE.sph FILE.wav",
    });
  });

  it.each([
    ["no rate", "channel_count -i 1\n", "names no sample_rate"],
    ["a count that is no number", "sample_rate -i 8000\nsample_count -i many\n", "says sample_count many"],
    ["a coding it does not know", "sample_rate -i 8000\nsample_coding -s5 aural\n", 'coded as "aural"'],
    ["more samples than there are", "sample_rate -i 8000\nsample_count -i 9\n", "is truncated"],
  ])("refuses a header with %s", async (_, fields, message) => {
    await expect(readAudio(sphere(fields, pcm16(1)))).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  });
});
