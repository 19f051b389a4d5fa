import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { fourLetters } from "../view-of.ts";
import { parseWaveFormat, type WaveFormat } from "./parse-wave-format.ts";
import type { PcmLayout } from "./pcm-layout.ts";
import { noData, noFormat } from "./read-wav-layout.ts";
import { type ChunkShape, walkChunks } from "./walk-chunks.ts";

// A chunk is named by a GUID whose first four bytes are WAV's letters; its size includes its header.
const shape: ChunkShape = {
  headerBytes: 24,
  alignment: 8,
  parse: (header) => ({ id: fourLetters(header, 0), size: Number(header.getBigUint64(16, true)) - 24 }),
};

/** Finds the samples of a Sony Wave64 file. */
export async function readW64Layout(source: ByteSource): Promise<PcmLayout> {
  const form = Buffer.from(await source.read(24, 4)).toString("latin1");
  if (form !== "wave") throw badAudio(source.name, "is Wave64 without a wave inside", "its header is broken");
  let format: WaveFormat | undefined;
  for await (const chunk of walkChunks(source, 40, shape)) {
    if (chunk.id === "fmt ") {
      format = parseWaveFormat(source.name, await source.read(chunk.offset, Math.min(chunk.size, 4096)), true);
    }
    if (chunk.id === "data") {
      if (format === undefined) throw noFormat(source.name);
      return { ...format, dataOffset: chunk.offset, dataBytes: chunk.size };
    }
  }
  throw format === undefined ? noFormat(source.name) : noData(source.name);
}
