import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { probeAudio, readAudio } from "../../../src/audio/lazy-audio.ts";
import { oggCrc } from "../../../src/audio/ogg/ogg-page.ts";
import { isMillraceError } from "../../../src/shared/errors.ts";
import { mutate } from "../../fixtures/audio/mutate.ts";
import { chunk, pcm16, wavBytes } from "../../fixtures/audio/wav-bytes.ts";
import { usedBytes } from "../../fixtures/formats/used-bytes.ts";
import { seededRandom } from "../../fixtures/seeded-random.ts";

const golden = fileURLToPath(new URL("../../golden/audio", import.meta.url));
const fileOf = (name: string) => readFileSync(join(golden, name));
const times = Number(process.env["MILLRACE_AUDIO_TIMES"] ?? 1);

// Samples of four bytes from half a byte each, and again for the mix. A decoder in WASM has memory of its own.
const mostBytes = (bytes: Uint8Array, decoderBytes: number) => 64 * bytes.length + (1 << 20) + decoderBytes;

/** Reads what may be broken, with memory in proportion: a header that lies about its size is not believed. */
async function readModestly(bytes: Uint8Array, seed: number, decoderBytes: number): Promise<"read" | "refused"> {
  const most = mostBytes(bytes, decoderBytes);
  const before = usedBytes();
  const outcome = await readBroken(bytes, seed);
  // The engine itself takes memory now and then, for code that it compiles; a reader that does takes it every time.
  let taken = usedBytes() - before;
  for (let left = 8; left > 0 && taken > most; left--) {
    const again = usedBytes();
    await readBroken(bytes, seed);
    taken = Math.min(taken, usedBytes() - again);
  }
  if (taken > most) throw new Error(`seed ${seed}: ${bytes.length} bytes took ${taken} of memory`);
  return outcome;
}

/** Reads what may be broken: anything but samples that are numbers, or an error of millrace's, is a mistake. */
async function readBroken(bytes: Uint8Array, seed: number): Promise<"read" | "refused"> {
  try {
    const options = [
      {},
      { channel: 0 },
      { channel: "all" },
      { offset: 0.0007, duration: 0.001 },
      { truncated: "keep" },
    ];
    const { samples } = await readAudio(bytes, options[seed % options.length] as object);
    for (const plane of [samples].flat() as unknown as Float32Array[]) {
      if (plane.length === 0 || !plane.every(Number.isFinite)) throw new Error("samples that are none");
    }
    return "read";
  } catch (error) {
    if (isMillraceError(error) && error.code === "BAD_AUDIO" && error.message.startsWith("the audio "))
      return "refused";
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : error}`, { cause: error });
  }
}

async function countOutcomes(
  inputs: readonly Uint8Array[],
  runs: number,
  firstSeed: number,
  { mend = (b: Uint8Array) => b, decoderBytes = 0 } = {},
) {
  const outcomes = { read: 0, refused: 0 };
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const random = seededRandom(seed);
    outcomes[await readModestly(mend(mutate(inputs[seed % inputs.length]!, random)), seed, decoderBytes)]++;
  }
  return outcomes;
}

const values = Array.from({ length: 24 }, (_, i) => i * 1000);
const sphereHead =
  "NIST_1A\n   1024\nsample_count -i 24\nsample_rate -i 16000\nsample_n_bytes -i 2\nchannel_count -i 1\n";
const sphere = (fields: string) =>
  Buffer.concat([Buffer.from(`${sphereHead}${fields}end_head\n`.padEnd(1024)), pcm16(...values)]);

const storedInputs = [
  wavBytes({ data: pcm16(...values) }),
  wavBytes({ data: pcm16(...values), channels: 2, before: [chunk("LIST", Buffer.from("INFOa"))] }),
  wavBytes({ data: new Uint8Array(Float32Array.from(values).buffer), tag: 3, bits: 32 }),
  wavBytes({ data: pcm16(...values), dataSize: 0xffff_ffff, riffSize: 0xffff_ffff }),
  wavBytes({ data: pcm16(...values), id: "RF64", dataSize: 0xffff_ffff, before: [chunk("ds64", Buffer.alloc(28))] }),
  wavBytes({ data: pcm16(...values), tag: 0x11, bits: 4, blockBytes: 16, extension: Buffer.of(2, 0, 25, 0) }),
  wavBytes({ data: pcm16(...values), tag: 2, bits: 4, blockBytes: 16, extension: Buffer.alloc(34) }),
  sphere("sample_byte_format -s2 01\nsample_coding -s3 pcm\n"),
  sphere("sample_coding -s4 ulaw\n"),
  ...["pcm.w64", "pcm.aiff", "float.caf"].map((name) => fileOf(name).subarray(0, 300)),
];

describe("audio with random mistakes in it", () => {
  it("is read or refused, where samples are stored as they are", { timeout: 300_000 }, async () => {
    const outcomes = await countOutcomes(storedInputs, 100_000 * times, 1);
    expect(outcomes.read).toBeGreaterThan(1000);
    expect(outcomes.refused).toBeGreaterThan(1000);
  });

  it("is read or refused, where it is FLAC", { timeout: 300_000 }, async () => {
    const whole = await countOutcomes([fileOf("best.flac"), fileOf("small-blocks.flac")], 2000 * times, 1);
    expect(whole.refused).toBeGreaterThan(500);
    // A few blocks of it are decoded in no time.
    const few = await countOutcomes([firstBlocks(fileOf("small-blocks.flac"), 4)], 30_000 * times, 1);
    expect(few.read).toBeGreaterThan(1000);
    expect(few.refused).toBeGreaterThan(1000);
  });

  // Checksums are mended, or next to nothing would reach the decoders behind them.
  it.each(["cbr.mp3", "vorbis.ogg", "opus.opus", "flac.oga"])(
    "is read or refused, where it is %s, and does not spoil the next file",
    { timeout: 300_000 },
    async (name) => {
      const sound = fileOf(name);
      const before = await readAudio(sound);
      const options = { decoderBytes: 1 << 26, ...(name.endsWith("mp3") ? {} : { mend: mendPages }) };
      const outcomes = await countOutcomes([sound], 150 * times, 1, options);
      expect(outcomes.read).toBeGreaterThan(2);
      expect(await readAudio(sound)).toEqual(before);
    },
  );

  it("is probed or refused", async () => {
    const inputs = readdirSync(golden)
      .filter((name) => !name.endsWith(".m4a"))
      .map(fileOf);
    for (let seed = 1; seed < 5000 * times; seed++) {
      const bytes = mutate(inputs[seed % inputs.length]!, seededRandom(seed));
      await probeAudio(bytes).catch((error: unknown) => {
        if (!isMillraceError(error)) throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  });
});

/** The beginning of a FLAC file with blocks of equal size, which says that it does not know how long it is. */
function firstBlocks(file: Buffer, count: number): Buffer {
  const sync = Buffer.of(0xff, 0xf8);
  let end = file.indexOf(sync);
  for (let i = 0; i < count; i++) end = file.indexOf(sync, end + 20);
  const bytes = Buffer.from(file.subarray(0, end));
  bytes[21]! &= 0xf0;
  bytes.fill(0, 22, 26);
  return bytes;
}

/** Gives every page of an Ogg file the checksum that it should have. */
function mendPages(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes);
  for (let at = file.indexOf("OggS"); at >= 0; ) {
    const next = file.indexOf("OggS", at + 4);
    const page = file.subarray(at, next < 0 ? file.length : next);
    if (page.length > 27) {
      const body = page.subarray(27, 27 + page[26]!).reduce((sum, length) => sum + length, 27 + page[26]!);
      const whole = page.subarray(0, body);
      whole.writeUInt32LE(oggCrc(whole), 22);
    }
    at = next;
  }
  return file;
}
