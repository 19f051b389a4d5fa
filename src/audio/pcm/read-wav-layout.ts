import { badAudio, copyAgain } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { fourLetters, viewOf } from "../view-of.ts";
import { parseWaveFormat, type WaveFormat } from "./parse-wave-format.ts";
import type { PcmLayout } from "./pcm-layout.ts";
import { type Chunk, type ChunkShape, walkChunks } from "./walk-chunks.ts";

const unknownSize = 0xffff_ffff;
// Programs that write to a pipe (sox, espeak-ng) put about 2 GB into both sizes.
const minStreamedSize = 0x7fff_f000;
const maxFormatBytes = 4096;

/** Finds the samples of a WAV file, also of RIFX (big-endian), RF64 and BW64 (beyond 4 GB). */
export async function readWavLayout(source: ByteSource): Promise<PcmLayout> {
  const head = viewOf(await source.read(0, 12));
  const kind = fourLetters(head, 0);
  const isLittleEndian = kind !== "RIFX";
  const riffSize = head.getUint32(4, isLittleEndian);
  let format: WaveFormat | undefined;
  let wideSize: number | undefined;
  for await (const chunk of walkChunks(source, 12, riffShape(isLittleEndian))) {
    if (chunk.id === "ds64") wideSize = await readWideSize(source, chunk);
    if (chunk.id === "fmt " && format === undefined) {
      const bytes = await source.read(chunk.offset, Math.min(chunk.size, maxFormatBytes));
      format = parseWaveFormat(source.name, bytes, isLittleEndian);
    }
    if (chunk.id === "data") {
      if (format === undefined) throw noFormat(source.name);
      const isWide = kind === "RF64" || kind === "BW64";
      const announced = isWide && chunk.size === unknownSize ? wideSize : chunk.size;
      return { ...format, dataOffset: chunk.offset, dataBytes: isStreamed(announced) ? undefined : announced };

      /** True if the sizes were written before the end was known, and never corrected. */
      function isStreamed(size: number | undefined): boolean {
        if (size === undefined || size === unknownSize) return true;
        const follows = source.size - chunk.offset;
        if (size === 0) return follows > 0 && (riffSize === unknownSize || riffSize + 8 <= chunk.offset);
        return size >= minStreamedSize && follows < size && riffSize >= size && riffSize - size <= 4096;
      }
    }
  }
  throw format === undefined ? noChunks(source) : noData(source.name);
}

function riffShape(isLittleEndian: boolean): ChunkShape {
  return {
    headerBytes: 8,
    alignment: 2,
    parse: (header) => ({ id: fourLetters(header, 0), size: header.getUint32(4, isLittleEndian) }),
  };
}

/** The size of the data in a file beyond 4 GB. */
async function readWideSize(source: ByteSource, chunk: Chunk): Promise<number | undefined> {
  const bytes = await source.read(chunk.offset, Math.min(chunk.size, 24));
  if (bytes.length < 16) return undefined;
  const size = viewOf(bytes).getBigUint64(8, true);
  return size === 0n || size > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(size);
}

export function noFormat(name: string): Error {
  return badAudio(
    name,
    "has samples but no fmt chunk before them",
    "the header is broken: make or fetch the file again",
  );
}

export function noData(name: string): Error {
  return badAudio(name, "has a header but no data chunk: it is truncated, or was never finished", copyAgain);
}

function noChunks(source: ByteSource): Error {
  return badAudio(source.name, `is truncated: a WAV header of ${source.size} bytes without a fmt chunk`, copyAgain);
}
