import type { AudioInfo, AudioWarning } from "../audio.ts";
import { badAudio, copyAgain } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { checkHeader } from "../check-header.ts";
import type { OpenedAudio, OpenOptions } from "../opened-audio.ts";
import { refuseNonFinite } from "../refuse-non-finite.ts";
import type { SampleSink } from "../sample-sink.ts";
import type { PcmFormat } from "../sniff-format.ts";
import { decodeImaBlock, decodeMsBlock } from "./decode-adpcm.ts";
import { decodeSamples, hostIsLittleEndian } from "./decode-samples.ts";
import { type Int16Buffer, makeInt16Buffer } from "./int16-buffer.ts";
import { codecName, type PcmLayout } from "./pcm-layout.ts";
import { readAiffLayout } from "./read-aiff-layout.ts";
import { readAuLayout } from "./read-au-layout.ts";
import { readCafLayout } from "./read-caf-layout.ts";
import { readSphereLayout } from "./read-sphere-layout.ts";
import { readW64Layout } from "./read-w64-layout.ts";
import { readWavLayout } from "./read-wav-layout.ts";

const layoutReaders: Readonly<Record<PcmFormat, (source: ByteSource) => Promise<PcmLayout>>> = {
  wav: readWavLayout,
  w64: readW64Layout,
  aiff: readAiffLayout,
  au: readAuLayout,
  caf: readCafLayout,
  sphere: readSphereLayout,
};

// Small enough to stay in the processor's cache between reading and decoding.
const pieceBytes = 256 * 1024;
// Buffers for 16-bit samples, reused for each file. Programs that read hundreds of files at a time mostly do without:
// each buffer reserves gigabytes of address space.
const maxBuffers = 4;
const freeBuffers: Int16Buffer[] = [];
let buffersMade = 0;

/** Opens uncompressed audio (or small blocks of ADPCM): any part can be read directly. */
export async function openPcm(source: ByteSource, format: PcmFormat, options: OpenOptions): Promise<OpenedAudio> {
  const layout = await layoutReaders[format](source);
  checkHeader(source.name, layout);
  const warnings: AudioWarning[] = [...(layout.warnings ?? [])];
  const bytes = availableBytes(source, layout, options, warnings);
  const blocks = Math.floor(bytes / layout.blockBytes);
  if (blocks === 0) throw badAudio(source.name, "holds no samples", "leave it out, or make it again");
  const left = bytes - blocks * layout.blockBytes;
  if (left > 0) {
    const message = `the last ${left} bytes are no whole ${layout.framesPerBlock === 1 ? "frame" : "block"} and were left out`;
    warnings.push({ kind: "odd_length", message });
  }
  const frames = blocks * layout.framesPerBlock;
  const { sampleRate, channels } = layout;
  const info: AudioInfo = {
    format,
    codec: codecName(layout),
    sampleRate,
    channels,
    frames,
    durationSeconds: frames / sampleRate,
    isExact: true,
  };
  return { info, warnings, decode: (sink) => decodePcm(source, layout, blocks, sink) };
}

/** The number of available bytes of samples: a header can announce any number. */
function availableBytes(
  source: ByteSource,
  { dataOffset, dataBytes }: PcmLayout,
  { truncated }: OpenOptions,
  warnings: AudioWarning[],
): number {
  const there = Math.max(0, source.size - dataOffset);
  if (dataBytes === undefined || dataBytes <= there) return dataBytes ?? there;
  const message = `is truncated: its header announces ${dataBytes} bytes of samples, ${there} are there`;
  if (truncated === "fail" || there === 0) {
    throw badAudio(source.name, message, `${copyAgain}; { truncated: "keep" } reads what is there`);
  }
  warnings.push({ kind: "truncated", message });
  return there;
}

async function decodePcm(source: ByteSource, layout: PcmLayout, blocks: number, sink: SampleSink): Promise<void> {
  const buffer = borrowBuffer(layout);
  try {
    await decodePieces(source, { ...layout, blocks, buffer }, sink);
  } finally {
    if (buffer !== undefined) freeBuffers.push(buffer);
  }
}

/** A buffer for samples in the byte order of this machine; undefined if the slower way is needed. */
function borrowBuffer({ encoding, isLittleEndian }: PcmLayout): Int16Buffer | undefined {
  if (encoding !== "s16" || isLittleEndian !== hostIsLittleEndian) return undefined;
  const spare = freeBuffers.pop();
  if (spare !== undefined || buffersMade === maxBuffers) return spare;
  buffersMade++;
  return makeInt16Buffer(pieceBytes);
}

interface Pieces extends PcmLayout {
  readonly blocks: number;
  readonly buffer: Int16Buffer | undefined;
}

async function decodePieces(source: ByteSource, pieces: Pieces, sink: SampleSink): Promise<void> {
  const { blockBytes, framesPerBlock, channels, blocks, buffer } = pieces;
  const firstBlock = Math.min(blocks, Math.floor(sink.range.start / framesPerBlock));
  const lastBlock = Math.min(blocks, Math.ceil(sink.range.end / framesPerBlock));
  const blocksAtOnce = Math.max(1, Math.min(lastBlock - firstBlock, Math.floor(pieceBytes / blockBytes)));
  let scratch: Float32Array | undefined;
  sink.skipTo(firstBlock * framesPerBlock);
  sink.expect(Math.min(sink.range.end, lastBlock * framesPerBlock) - sink.range.start);
  for (let block = firstBlock; block < lastBlock; block += blocksAtOnce) {
    const count = Math.min(blocksAtOnce, lastBlock - block);
    const bytes = await source.read(pieces.dataOffset + block * blockBytes, count * blockBytes, buffer?.bytes);
    const place = channels === 1 ? sink.placeFor(count * framesPerBlock) : undefined;
    scratch ??= place === undefined ? new Float32Array(blocksAtOnce * framesPerBlock * channels) : undefined;
    const samples = place ?? scratch!;
    if (buffer === undefined) decodeBlocks(pieces, bytes, count, samples);
    else samples.set(decodeInBuffer(buffer, bytes));
    if (pieces.encoding === "f32" || pieces.encoding === "f64") {
      refuseNonFinite(source.name, samples, { count: count * channels, firstFrame: block, channels });
    }
    if (place === undefined) sink.pushInterleaved(samples, channels, count * framesPerBlock);
  }
}

function decodeInBuffer(buffer: Int16Buffer, bytes: Uint8Array): Float32Array {
  // Bytes from memory are not in the buffer yet.
  if (bytes.buffer !== buffer.bytes.buffer) buffer.bytes.set(bytes);
  return buffer.decode(bytes.length / 2);
}

function decodeBlocks(layout: PcmLayout, bytes: Uint8Array, count: number, out: Float32Array): void {
  const { encoding, channels, blockBytes, framesPerBlock } = layout;
  if (encoding !== "ima" && encoding !== "ms") {
    decodeSamples(encoding, layout.isLittleEndian, bytes, count * channels, out);
    return;
  }
  const samplesPerBlock = framesPerBlock * channels;
  for (let block = 0; block < count; block++) {
    const input = bytes.subarray(block * blockBytes, (block + 1) * blockBytes);
    const output = out.subarray(block * samplesPerBlock, (block + 1) * samplesPerBlock);
    if (encoding === "ima") decodeImaBlock(input, channels, framesPerBlock, output);
    else decodeMsBlock(input, channels, framesPerBlock, layout.coefficients!, output);
  }
}
