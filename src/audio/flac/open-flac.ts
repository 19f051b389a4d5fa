import type { AudioInfo } from "../audio.ts";
import { badAudio, copyAgain } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { skipId3 } from "../mp3/skip-id3.ts";
import type { OpenedAudio, OpenOptions } from "../opened-audio.ts";
import type { SampleSink } from "../sample-sink.ts";
import { FlacDamage } from "./bit-reader.ts";
import { makeFrameDecoder } from "./decode-frame.ts";
import { findFrameBefore } from "./find-frame.ts";
import { maxHeaderBytes, readFrameHeader } from "./frame-header.ts";
import { readStreamInfo, type StreamInfo } from "./read-stream-info.ts";
import { makeSampleDigest } from "./sample-digest.ts";

const pieceBytes = 1024 * 1024;
const maxFramesPerByte = 8;

/** Opens FLAC. Each frame is verified by its checksum; a segment is found without decoding everything before it. */
export async function openFlac(source: ByteSource, options: OpenOptions): Promise<OpenedAudio> {
  const info = await readStreamInfo(source, skipId3(await source.read(0, 10), 0));
  if (info.audioOffset >= source.size) {
    throw badAudio(source.name, "is truncated: a FLAC header without audio after it", copyAgain);
  }
  const frames = info.totalFrames === 0 ? undefined : info.totalFrames;
  const { sampleRate, channels } = info;
  const about: AudioInfo = {
    format: "flac",
    codec: "flac",
    sampleRate,
    channels,
    frames,
    durationSeconds: frames === undefined ? undefined : frames / sampleRate,
    isExact: frames !== undefined,
  };
  return { info: about, warnings: [], decode: (sink) => decodeFlac(source, info, options, sink) };
}

async function decodeFlac(source: ByteSource, info: StreamInfo, options: OpenOptions, sink: SampleSink): Promise<void> {
  const decoder = makeFrameDecoder(info);
  const scale = 2 ** (1 - info.bits);
  // An uncompressed frame is the largest; 33 bits if channels are stored as differences.
  const largest = maxHeaderBytes + 2 + info.channels * (8 + Math.ceil((info.maxBlockSize * (info.bits + 1)) / 8));
  const search = { source, info, decoder, maxFrameBytes: largest };
  const start = sink.range.start === 0 ? undefined : await findFrameBefore(search, sink.range.start);
  const isWhole = sink.range.start === 0 && sink.range.end >= (info.totalFrames || Infinity);
  const digest = isWhole ? makeSampleDigest(info) : undefined;
  let offset = start?.offset ?? info.audioOffset;
  sink.skipTo(start?.firstFrame ?? 0);
  // If the file size supports the header's count, memory is allocated once.
  if (info.totalFrames <= source.size * maxFramesPerByte) {
    sink.expect(Math.max(0, Math.min(info.totalFrames, sink.range.end) - sink.range.start));
  }
  let piece = await source.read(offset, Math.max(pieceBytes, 2 * largest));
  let at = 0;
  let next: number | undefined;
  let endsInFrame = false;
  while (!sink.isFull && offset + at < source.size && (info.totalFrames === 0 || sink.position < info.totalFrames)) {
    if (piece.length - at < largest && offset + piece.length < source.size) {
      offset += at;
      piece = await source.read(offset, Math.max(pieceBytes, 2 * largest));
      at = 0;
    }
    const isNearEnd = offset + at + largest >= source.size;
    const header = readFrameHeader(piece, at, info);
    if (header === undefined) {
      if (isTag(piece, at) && sink.position > 0) break;
      endsInFrame = piece.length - at < maxHeaderBytes;
      if (endsInFrame) break;
      throw corrupt(source.name, offset + at, sink, "what should be a frame is none");
    }
    if (next !== undefined && header.firstFrame !== next) {
      throw corrupt(source.name, offset + at, sink, "a frame is missing or out of order");
    }
    try {
      at += decoder.decode(piece, at, header);
    } catch (error) {
      if (!(error instanceof FlacDamage)) throw error;
      endsInFrame = isNearEnd && error.isEnd;
      if (endsInFrame) break;
      throw corrupt(source.name, offset + at, sink, error.message);
    }
    next = header.firstFrame + header.blockSize;
    digest?.update(decoder.planes, header.blockSize);
    sink.pushPlanes(decoder.planes, header.blockSize, scale);
  }
  if (!sink.isFull && (endsInFrame || sink.position < info.totalFrames)) {
    refuseTruncated(source.name, info, options, sink);
  } else if (digest?.isAsNoted() === false) {
    throw corrupt(source.name, offset + at, sink, "its samples are not those that were encoded (their MD5 differs)");
  }
}

function refuseTruncated(
  name: string,
  { totalFrames }: StreamInfo,
  { truncated }: OpenOptions,
  sink: SampleSink,
): void {
  const announced = totalFrames === 0 ? "it ends within a frame" : `its header announces ${totalFrames} samples`;
  const message = `is truncated (or damaged near its end): ${announced}, ${sink.position} are there`;
  if (truncated === "fail" || sink.position === 0) {
    throw badAudio(name, message, `${copyAgain}; { truncated: "keep" } reads what is there`);
  }
  sink.warn({ kind: "truncated", message });
}

function corrupt(name: string, at: number, sink: SampleSink, why: string): Error {
  const what = `is corrupt FLAC: ${why} (at byte ${at}, sample ${sink.position})`;
  return badAudio(name, what, "fetch it again; if the original is damaged too, leave it out");
}

/** ID3v1 and APE tags are appended to FLAC too. */
function isTag(bytes: Uint8Array, at: number): boolean {
  return /^(TAG|APETAGEX)/.test(Buffer.from(bytes.subarray(at, at + 8)).toString("latin1"));
}
